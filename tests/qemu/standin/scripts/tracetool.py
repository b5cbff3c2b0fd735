# SPDX-License-Identifier: MIT
"""Must not be called: adopt names the tracetool of Waymark."""
raise SystemExit("the generator of the tree is called, not Waymark's")
