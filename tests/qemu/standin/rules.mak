# SPDX-License-Identifier: MIT
# The place of the edit in a tree that is built by make.
TRACETOOL=python3 $(SRC_PATH)/scripts/tracetool.py
