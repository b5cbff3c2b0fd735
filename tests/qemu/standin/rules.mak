# SPDX-License-Identifier: MIT
# The line that a tree which is built by make has instead.
TRACETOOL=python3 $(SRC_PATH)/scripts/tracetool.py
