/* SPDX-License-Identifier: MIT */
/*
 * The screen of `waymark top`: the text of table.c, drawn line by line, and keys. Shows the list of
 * processes, or one process. Everything that is counted or sorted is done elsewhere.
 */
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "cmd/escaped.h"
#include "cmd/top/keyboard.h"
#include "cmd/top/top.h"

#define FILTER_BYTES 256
#define LINE_CHARACTERS 1024
#define ESCAPE 27
#define ESCAPE_MS 25 /* wait for the rest of a key's sequence */

/* Reading is interrupted after this time to look for keys. */
#define SLICE_NS (50 * UINT64_C(1000000))

struct screen {
	struct top_options *options;
	int signals;
	bool is_list; /* the list of processes is shown, else `watch` */
	struct top_processes list;
	struct watch watch;
	struct rates_rows rows; /* of the watch */
	size_t count; /* rows that are shown */
	size_t selected;
	size_t top; /* the first row on the screen */
	size_t page; /* rows that the screen has room for */
	uint64_t due_ns; /* time of the next update */
	struct keyboard keyboard;
	char filter[FILTER_BYTES]; /* in use */
	char typed[FILTER_BYTES]; /* being typed */
	bool is_typing;
	char message[512]; /* in the last line until the next key; "": none */
	bool is_ended;
};

/* ---- Lines ---- */

/* Draws the bytes of a line, cut at the right side of the screen, and with `look`. */
static void draw_line(int y, const char *text, size_t length, attr_t look)
{
	wchar_t wide[LINE_CHARACTERS];
	mbstate_t state = { 0 };
	size_t count = 0;
	int width = 0;

	while (length > 0 && count + 1 < ARRAY_SIZE(wide)) {
		size_t n = mbrtowc(&wide[count], text, length, &state);

		if (n == 0 || n > length) { /* no character of this locale */
			wide[count] = L'?';
			state = (mbstate_t){ 0 };
			n = 1;
		}
		int cells = wcwidth(wide[count]);

		if (cells < 0 || width + cells > COLS) {
			break;
		}
		width += cells;
		count++;
		text += n;
		length -= n;
	}
	wide[count] = L'\0';
	attrset((int)look);
	move(y, 0);
	addwstr(wide);
	for (; look & A_REVERSE && width < COLS; width++) {
		addch(' ');
	}
	attrset(A_NORMAL);
}

/* Returns the length of the first line of a text. */
static size_t line_of(const char *text)
{
	return strcspn(text, "\n");
}

/* Draws lines from `y` on, at most `room`; returns the number of lines. */
static int draw_text(int y, const char *text, int room, attr_t look)
{
	int count = 0;

	for (; *text && count < room; count++) {
		size_t length = line_of(text);

		draw_line(y + count, text, length, look);
		text += length + (text[length] == '\n');
	}
	return count;
}

/* Makes the selected row visible. */
static void scroll_to_selected(struct screen *s)
{
	s->selected = s->selected < s->count ? s->selected : s->count ? s->count - 1 : 0;
	if (s->selected < s->top) {
		s->top = s->selected;
	}
	if (s->selected >= s->top + s->page) {
		s->top = s->selected - s->page + 1;
	}
}

/* Draws a table, whose first line has the titles, into the lines from `y` on. */
static void draw_table(struct screen *s, int y, int room, const char *text)
{
	size_t length = line_of(text);

	s->page = room > 1 ? (size_t)room - 1 : 0;
	scroll_to_selected(s);
	if (room < 1) {
		return;
	}
	draw_line(y, text, length, A_REVERSE);
	for (size_t row = 0; text[length] && text[length + 1] && row < s->top + s->page; row++) {
		text += length + 1;
		length = line_of(text);
		if (row >= s->top) {
			draw_line(y + 1 + (int)(row - s->top), text, length,
				row == s->selected ? A_BOLD | A_REVERSE : A_NORMAL);
		}
	}
}

static void draw_last_line(const struct screen *s)
{
	char text[FILTER_BYTES + sizeof(s->message)];

	if (s->is_typing) {
		snprintf(text, sizeof(text), "filter: %s", s->typed);
	} else if (s->message[0]) {
		snprintf(text, sizeof(text), "%s", s->message);
	} else if (s->is_list) {
		snprintf(text, sizeof(text), "q quit  Enter open  s sort: %s",
			top_orders[s->options->view.order]);
	} else {
		snprintf(text, sizeof(text),
			"q %s  s sort: %s  e event  t thread  c category  f filter  Enter, v parts",
			s->options->target ? "quit" : "back", top_orders[s->options->view.order]);
	}
	draw_line(LINES - 1, text, strlen(text), A_DIM);
}

/* ---- The two views ---- */

static void print_list(const struct screen *s, FILE *state, FILE *table)
{
	double rate = 0;

	vec_foreach (const struct top_process *, p, &s->list.all) {
		rate += p->rate;
	}
	fprintf(state, "%zu process%s record%s, %.0f events/s\n", s->list.all.count,
		s->list.all.count == 1 ? "" : "es", s->list.all.count == 1 ? "s" : "", rate);
	top_put_processes(table, &s->list, COLS);
}

static void draw(struct screen *s)
{
	char *state = NULL;
	char *table = NULL;
	size_t ignored;
	FILE *to_state = memory_stream(&state, &ignored);
	FILE *to_table = memory_stream(&table, &ignored);
	bool has_help = LINES >= 7 || s->is_typing || s->message[0];

	if (s->is_list) {
		print_list(s, to_state, to_table);
	} else {
		top_put_state(to_state, &s->watch, &s->options->view);
		top_put_aggregates(to_state, &s->watch);
		top_put_rows(to_table, &s->rows, COLS);
	}
	fclose(to_state);
	fclose(to_table);
	erase();
	int y = draw_text(0, state, LINES < 7 ? 1 : LINES / 2, A_BOLD);

	draw_table(s, y, LINES - y - has_help, table);
	if (has_help && LINES > 1) {
		draw_last_line(s);
	}
	refresh();
	free(state);
	free(table);
}

/* Makes the rows again, and keeps the selected one. */
static void make_rows(struct screen *s)
{
	struct rates_row_key selected = { .name = RATES_NONE };
	bool has_selected = s->selected > 0 && s->selected < s->rows.all.count;

	if (has_selected) {
		selected = s->rows.all.items[s->selected].key;
	}
	rates_rows_fini(&s->rows);
	watch_rows(&s->watch, &s->options->view, &s->rows);
	s->count = s->rows.all.count;
	for (size_t i = 0; has_selected && i < s->count; i++) {
		if (rates_row_is(&s->rows.all.items[i].key, &selected)) {
			s->selected = i;
		}
	}
}

/* Sorts what is shown, after a change of the order or of what is shown. */
static void arrange(struct screen *s)
{
	if (s->is_list) {
		top_processes_sort(&s->list, s->options->view.order);
		s->count = s->list.all.count;
	} else {
		make_rows(s);
	}
}

static void update(struct screen *s)
{
	if (s->is_list) {
		top_processes_find(&s->list);
	} else if (s->watch.state < WATCH_ENDED) {
		watch_turn(&s->watch);
	}
	arrange(s);
}

/* Shows the watch, which was opened. */
static void show_watch(struct screen *s)
{
	s->is_list = false;
	s->selected = s->top = 0;
	s->due_ns = clock_now_ns() + s->options->interval_ns;
	arrange(s);
}

static void close_watch(struct screen *s)
{
	if (!s->is_list) {
		rates_rows_fini(&s->rows);
		watch_fini(&s->watch);
		s->options->view.expanded.count = 0;
	}
}

static void open_list(struct screen *s)
{
	close_watch(s);
	s->is_list = true;
	s->selected = s->top = 0;
	s->due_ns = clock_now_ns() + s->options->interval_ns;
	top_processes_find(&s->list);
	arrange(s);
}

/* ---- Keys ---- */

/* Uses the typed filter if it is a pattern; nothing typed shows all events. */
static void use_filter(struct screen *s)
{
	struct top_options *o = s->options;
	struct name_pattern pattern = { 0 };
	char why[200];

	if (!name_pattern_read(&pattern, strcpy(s->filter, s->typed), why, sizeof(why))) {
		snprintf(s->message, sizeof(s->message), "%s: %s", s->typed, why);
		beep();
		s->filter[0] = '\0';
	}
	name_pattern_fini(&o->filter);
	o->filter = pattern;
	o->view.filter = s->filter[0] ? &o->filter : NULL;
	s->is_typing = false;
	arrange(s);
}

static void erase_character(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && ((unsigned char)text[--length] & 0xc0) == 0x80) {
	}
	text[length] = '\0';
}

static void take_typed(struct screen *s, wint_t key, bool is_special)
{
	char bytes[MB_LEN_MAX];
	size_t length = strlen(s->typed);

	if (key == ESCAPE) {
		s->is_typing = false;
	} else if (key == '\n' || key == '\r' || (is_special && key == KEY_ENTER)) {
		use_filter(s);
	} else if (key == '\b' || key == 127 || (is_special && key == KEY_BACKSPACE)) {
		erase_character(s->typed);
	} else if (!is_special && key >= ' ') {
		mbstate_t state = { 0 };
		size_t n = wcrtomb(bytes, (wchar_t)key, &state);

		if (n <= sizeof(bytes) && length + n < sizeof(s->typed)) {
			memcpy(s->typed + length, bytes, n);
			s->typed[length + n] = '\0';
		}
	}
}

static void enter(struct screen *s)
{
	if (s->selected >= s->count) {
		return;
	}
	if (!s->is_list) {
		const struct rates_row *row = &s->rows.all.items[s->selected];

		if (!row->is_part) {
			const struct rates_row_key key = row->key;

			rates_view_toggle(&s->options->view, &key);
			arrange(s);
		}
		return;
	}
	struct leftover process = s->list.all.items[s->selected].it;

	process.path = xstrdup(process.path);
	watch_init(&s->watch, &process, s->options->per);
	show_watch(s);
}

/* Shows the values of the selected event, or hides them again. */
static void show_values(struct screen *s)
{
	const char *per = s->options->per;

	if (s->is_list || s->selected >= s->count) {
		return;
	}
	const struct rates_row *row = &s->rows.all.items[s->selected];

	if (row->key.by != RATES_BY_EVENT) {
		snprintf(s->message, sizeof(s->message), "only events have values");
	} else if (!rates_count_values(&s->watch.rates, row->key.name)) {
		snprintf(s->message, sizeof(s->message), "'%s' has no %s", row->name,
			per ? per : RATES_PER_KEY "; --per names a field");
	} else {
		const struct rates_row_key key = { .by = RATES_BY_VALUE, .name = row->key.name };

		rates_view_toggle(&s->options->view, &key);
		arrange(s);
	}
}

static void show_by(struct screen *s, enum rates_by by)
{
	if (!s->is_list) {
		s->options->view.by = by;
		s->options->view.expanded.count = 0;
		s->selected = s->top = 0;
		arrange(s);
	}
}

static void take_letter(struct screen *s, wint_t key)
{
	switch (key) {
	case 'q':
		s->is_ended = s->is_list || s->options->target;
		if (!s->is_ended) {
			open_list(s);
		}
		break;
	case 's':
		s->options->view.order = (s->options->view.order + 1) % TOP_ORDERS;
		arrange(s);
		break;
	case 'e':
		show_by(s, RATES_BY_EVENT);
		break;
	case 't':
		show_by(s, RATES_BY_THREAD);
		break;
	case 'c':
		show_by(s, RATES_BY_CATEGORY);
		break;
	case 'v':
		show_values(s);
		break;
	case 'f':
	case '/':
		s->is_typing = !s->is_list;
		strcpy(s->typed, s->filter);
		break;
	case ' ':
	case '\n':
	case '\r':
		enter(s);
		break;
	default:
		break;
	}
}

static void take_special(struct screen *s, wint_t key)
{
	switch (key) {
	case KEY_UP:
		s->selected -= s->selected > 0;
		break;
	case KEY_DOWN:
		s->selected++;
		break;
	case KEY_PPAGE:
		s->selected -= s->selected < s->page ? s->selected : s->page;
		break;
	case KEY_NPAGE:
		s->selected += s->page;
		break;
	case KEY_HOME:
		s->selected = 0;
		break;
	case KEY_END:
		s->selected = SIZE_MAX;
		break;
	case KEY_ENTER:
		enter(s);
		break;
	default:
		break; /* also KEY_RESIZE: the next drawing has the new size */
	}
	s->selected = s->selected < s->count ? s->selected : s->count ? s->count - 1 : 0;
}

static void take_keys(struct screen *s)
{
	bool is_special;
	wint_t key;

	while (!s->is_ended && keyboard_next(&s->keyboard, &key, &is_special)) {
		s->message[0] = '\0';
		if (s->is_typing) {
			take_typed(s, key, is_special);
		} else {
			(is_special ? take_special : take_letter)(s, key);
		}
	}
}

/* ---- The run ---- */

/* Waits until there is something to do; reads events meanwhile. */
static void wait_for_work(struct screen *s)
{
	uint64_t now = clock_now_ns();
	unsigned int ms = s->due_ns > now ? (unsigned int)((s->due_ns - now) / 1000000 + 1) : 0;

	if (!s->is_list) {
		watch_read(&s->watch, now + SLICE_NS);
		unsigned int pause = watch_pause(&s->watch);

		ms = pause < ms ? pause : ms;
	}
	enum top_event event = top_pause(s->signals, STDIN_FILENO, ms);

	s->is_ended |= event == TOP_END;
	if (event == TOP_KEY) {
		take_keys(s);
		draw(s);
	}
}

static bool is_live(const struct screen *s)
{
	return !s->is_list && s->watch.state < WATCH_ENDED;
}

static void run(struct screen *s)
{
	draw(s);
	while (!s->is_ended) {
		bool was_live = is_live(s);

		wait_for_work(s);
		if (was_live && !s->is_list && !is_live(s)) {
			watch_end(&s->watch, s->options->interval_ns);
			arrange(s);
			draw(s);
		}
		if (!s->is_ended && clock_now_ns() >= s->due_ns) {
			s->due_ns = clock_now_ns() + s->options->interval_ns;
			update(s);
			draw(s);
		}
	}
}

/* True if the cursor can be moved. Writes nothing to the terminal. */
static bool can_draw(const char *terminal)
{
	int ignored;
	bool is_known = terminal && *terminal && setupterm(terminal, STDOUT_FILENO, &ignored) == OK;
	const char *move_cursor = is_known ? tigetstr("cup") : NULL;
	bool can = move_cursor && move_cursor != (const char *)-1;

	if (is_known) {
		del_curterm(set_curterm(NULL));
	}
	return can;
}

/* Opens the terminal; reports why it cannot be used. */
static SCREEN *open_terminal(void)
{
	const char *name = getenv("TERM");

	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
		setlocale(LC_CTYPE, "C.UTF-8"); /* names are UTF-8 */
	}
	SCREEN *terminal = can_draw(name) ? newterm(NULL, stdout, stdin) : NULL;

	if (!terminal) {
		escaped_say(TOP_NAME, "the terminal '%s' cannot move its cursor: use --once",
			name && *name ? name : "TERM is not set");
		return NULL;
	}
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	return terminal;
}

/* Shows the target, or the list; false if the target cannot be watched. */
static bool begin(struct screen *s)
{
	if (!s->options->target) {
		open_list(s);
	} else if (top_open(&s->watch, s->options)) {
		show_watch(s);
	} else {
		return false;
	}
	return true;
}

int top_screen(struct top_options *o)
{
	struct screen s = { .options = o, .is_list = true };
	SCREEN *terminal = NULL;

	if (o->view.filter) {
		snprintf(s.filter, sizeof(s.filter), "%s", o->filter.text);
	}
	s.signals = top_catch_signals();
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		escaped_say(TOP_NAME, "standard input or output is no terminal: use --once");
	} else if (begin(&s)) {
		terminal = open_terminal();
	}
	if (terminal) {
		run(&s);
		endwin();
		delscreen(terminal);
	}
	close_watch(&s);
	top_processes_fini(&s.list);
	close(s.signals);
	return terminal ? EXIT_SUCCESS : EXIT_FAILURE;
}
