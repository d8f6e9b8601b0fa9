"""What can be wrong with a question, as exceptions that carry a problem's slug.

Every refusal in permillion is one of these. The slug names the problem type (`docs/problems/<slug>.md`); the HTTP layer
turns it into a status and a title, a batch turns it into `error_code` and `error_detail` of a row.
"""

from __future__ import annotations


class PermillionError(Exception):
    """A question that cannot be answered as it was put.

    Not a `ValueError`: validators turn those into errors of their own and would lose slug and pointer.

    Args:
        slug: the problem type, a file name under `docs/problems/`.
        detail: what is wrong and what to do, without the caller's text.
        pointer: JSON pointer of the offending field relative to the row, `""` for the row itself.
    """

    def __init__(self, slug: str, detail: str, *, pointer: str = "") -> None:
        super().__init__(detail)
        self.slug = slug
        self.detail = detail
        self.pointer = pointer

    def forget_frames(self) -> None:
        """Keep what is wrong and let go of where it was found.

        An exception that becomes a row holds the frames it came through, and these the whole request, in a cycle that only
        a late collection ends: one bad row of 10,000 kept megabytes a request.
        """
        self.__traceback__ = self.__context__ = self.__cause__ = None

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.slug, self.detail, self.pointer)


def _rebuild(kind: type[PermillionError], slug: str, detail: str, pointer: str) -> PermillionError:
    return kind(slug, detail, pointer=pointer)
