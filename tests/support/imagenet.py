"""Photographs as MobileNetV2 takes them."""

import numpy
from PIL import Image

MEAN = numpy.array([0.485, 0.456, 0.406], numpy.float32)
STD = numpy.array([0.229, 0.224, 0.225], numpy.float32)


def image(path):
    """f32[1,3,224,224]: shorter side 256, centre 224."""
    picture = Image.open(path).convert("RGB")
    factor = 256 / min(picture.size)
    picture = picture.resize([max(256, int(side * factor)) for side in picture.size], Image.BILINEAR)
    left, top = (picture.width - 224) // 2, (picture.height - 224) // 2
    pixels = numpy.asarray(picture.crop((left, top, left + 224, top + 224)), numpy.float32) / 255
    return ((pixels - MEAN) / STD).transpose(2, 0, 1)[None].copy()
