/* SPDX-License-Identifier: MIT */
/* Trace points in a header of C++ that several translation units and a plug-in include. */
#ifndef CXX_H
#define CXX_H

#include <waymark/scope.h>

#define CATEGORIES(C) C(Net, true, "a network") C(Out, false, "compiled out")
WAYMARK_CATEGORIES(CATEGORIES);

inline int in_header(int x)
{
	WAYMARK_SCOPE(Net, "inline \"quoted\" [a, b] {c}", x);
	WAYMARK_INSTANT(Out, "never", x++);
	return x;
}

template <typename T> T in_template(T value)
{
	WAYMARK_SCOPE(Net, "template", value, sizeof(T));
	return value;
}

class device
{
      public:
	explicit device(int id) : m_id(id), m_bits(5)
	{
		WAYMARK_INSTANT(Net, "made", id, m_id);
	}
	~device()
	{
		WAYMARK_INSTANT(Net, "ended", m_id);
	}
	int id() const
	{
		WAYMARK_SCOPE(Net, "id", this->m_id, m_id, m_bits);
		return m_id;
	}
	virtual void throws(bool really) const;
	static const char *name()
	{
		WAYMARK_INSTANT(Net, "name");
		return "device";
	}

      private:
	int m_id;
	unsigned m_bits : 3;
};

/* Both units and the plug-in run it. */
inline void run_header(int x)
{
	in_header(x);
	in_template(x);
	in_template("text");
	device d(x);
	d.id();
	device::name();
}

#endif
