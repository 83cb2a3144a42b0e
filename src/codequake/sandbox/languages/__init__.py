"""One file a language: how its programs are built inside the sandbox.

``codequake.sandbox.toolchains`` reads ``TOOLCHAIN`` of each file here.
"""

__all__: list[str] = []
