"""How many tokens an image is, by the formulas that vendors publish. All arithmetic is on whole numbers and fractions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt
from typing import Final, Literal

Basis = Literal["documented", "estimated"]
Detail = Literal["low", "high"]

MOST_PATCHES: Final = 1_536


@dataclass(frozen=True, slots=True)
class Image:
    """An image as it is sent, in pixels; `detail` matters only where the vendor has it."""

    width: int
    height: int
    detail: Detail = "high"


@dataclass(frozen=True, slots=True)
class ImageRule:
    """One formula with its constants; which constants a formula uses is said in `overheads.yaml`."""

    formula: str
    basis: Basis
    source: str
    base: int = 0
    per_tile: int = 0
    multiplier: Fraction = Fraction(1)

    def tokens(self, image: Image) -> int:
        """Tokens of `image`.

        >>> ImageRule("tiles", "documented", "", 85, 170).tokens(Image(1024, 1024))
        765
        """
        return _FORMULAS[self.formula](self, image)

    def basis_of(self, image: Image) -> Basis:
        """Whether the tokens of `image` are documented: of Gemini's tiles it is not said how they are cut."""
        return "estimated" if self.formula == "squares" and max(image.width, image.height) > 384 else self.basis


def _tiles(rule: ImageRule, image: Image) -> int:
    """OpenAI: fit into 2,048 x 2,048, then the short side to 768 px at most, then 512 px tiles."""
    if image.detail == "low":
        return rule.base
    scale = min(Fraction(1), Fraction(2048, max(image.width, image.height)))
    scale *= min(Fraction(1), 768 / (scale * min(image.width, image.height)))
    tiles = ceil(image.width * scale / 512) * ceil(image.height * scale / 512)
    return rule.base + tiles * rule.per_tile


def _patches(rule: ImageRule, image: Image) -> int:
    """OpenAI: 32 px patches; above 1,536 the image is scaled until one side is a whole number of patches within them."""
    width, height = image.width, image.height
    patches = ceil(Fraction(width, 32)) * ceil(Fraction(height, 32))
    if patches > MOST_PATCHES:
        # √(1536·w/h) patches fit along the width, √(1536·h/w) along the height
        across, down = isqrt(MOST_PATCHES * width // height), isqrt(MOST_PATCHES * height // width)
        if not across or not down:  # a strip thinner than a patch
            across, down = MOST_PATCHES, 1
        elif across * height <= down * width:
            down = ceil(Fraction(height * across, width))
        else:
            across = ceil(Fraction(width * down, height))
        patches = across * down
    return ceil(patches * rule.multiplier)


def _area(rule: ImageRule, image: Image) -> int:
    """Anthropic: w · h / 750 after the long side is cut to 1,568 px, about 1,600 at most."""
    scale = min(Fraction(1), Fraction(1568, max(image.width, image.height)))
    return min(1_600, ceil(image.width * image.height * scale * scale / 750))


def _squares(rule: ImageRule, image: Image) -> int:
    """Google: one tile up to 384 px on both sides, else tiles of 768 px."""
    if max(image.width, image.height) <= 384:
        return 258
    return 258 * ceil(Fraction(image.width, 768)) * ceil(Fraction(image.height, 768))


_FORMULAS: Final = {"tiles": _tiles, "patches": _patches, "area": _area, "squares": _squares}
