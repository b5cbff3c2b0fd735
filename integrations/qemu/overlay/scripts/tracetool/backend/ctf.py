# SPDX-License-Identifier: MIT
"""The backend `ctf`, which Waymark's tracetool generates; here it has a name only."""

PUBLIC = True
