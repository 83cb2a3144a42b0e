"""One file a language: how its programs are found in replies.

``codequake.grading.readers`` reads ``READER`` of each file here.
"""

__all__: list[str] = []
