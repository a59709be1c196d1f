"""Trains shapes.onnx, which the quickstart quantizes: a small MobileNetV2 with a pre-activation block.

    cmake --build build --target draw_shapes
    pip install torch==2.15.0 onnx
    python examples/data/train.py build/examples/draw_shapes
"""

import pathlib
import subprocess
import sys
from collections import OrderedDict

import numpy
import onnx
import torch
from torch import nn

CLASSES, SIZE = 10, 40
RATE, EPOCHS = 6e-3, 12
TRAINING, VALIDATION = (1_000_000, 20480), (900_000, 2000)  # first number and count; the quickstart's are lower
BATCH = 64


def pictures(draw_shapes, first, count):
    drawn = subprocess.run([draw_shapes, str(first), str(count)], stdout=subprocess.PIPE, check=True).stdout
    pixels = torch.from_numpy(numpy.frombuffer(drawn, numpy.uint8).reshape(count, 3, SIZE, SIZE).copy())
    return pixels, torch.arange(first, first + count) % CLASSES


def normalized(pixels):
    return (pixels.float() / 128 - 1).contiguous(memory_format=torch.channels_last)


def conv(inputs, outputs, kernel=1, stride=1, groups=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)


class InvertedResidual(nn.Module):
    """Sandler et al., 2018."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        hidden = 4 * inputs
        self.adds = stride == 1 and inputs == outputs
        self.body = nn.Sequential(
            conv(inputs, hidden), nn.BatchNorm2d(hidden), nn.ReLU6(),
            conv(hidden, hidden, 3, stride, hidden), nn.BatchNorm2d(hidden), nn.ReLU6(),
            conv(hidden, outputs), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


class PreActivation(nn.Module):
    """He et al., 2016. Its first normalization follows an Add, so it cannot be folded into a Conv."""

    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(
            nn.BatchNorm2d(channels), nn.Hardswish(), conv(channels, channels, 3),
            nn.BatchNorm2d(channels), nn.Hardswish(), conv(channels, channels, 3))

    def forward(self, x):
        return x + self.body(x)


def net():
    return nn.Sequential(
        OrderedDict(
            stem=nn.Sequential(conv(3, 16, 3, 2), nn.BatchNorm2d(16), nn.Hardswish()),
            blocks=nn.Sequential(
                InvertedResidual(16, 24, 2),
                InvertedResidual(24, 24, 1),
                InvertedResidual(24, 40, 2),
                InvertedResidual(40, 40, 1),
                PreActivation(40),
            ),
            head=nn.Sequential(
                nn.BatchNorm2d(40), nn.Hardswish(), conv(40, 128), nn.BatchNorm2d(128), nn.Hardswish(),
            ),
            pool=nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten()),
            classifier=nn.Linear(128, CLASSES),
        )
    )


def accuracy(model, pixels, kinds):
    model.eval()
    with torch.inference_mode():
        scores = torch.cat([model(normalized(part)) for part in pixels.split(256)])
    return (scores.argmax(1) == kinds).float().mean().item()


def turned(pixels):
    """Each of the eight symmetries of a square keeps the kind."""
    flips = [axis for axis in (2, 3) if torch.rand(()) < 0.5]
    return (pixels.transpose(2, 3) if torch.rand(()) < 0.5 else pixels).flip(flips)


def train(model, pixels, kinds):
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, EPOCHS * (len(pixels) // BATCH))
    for _ in range(EPOCHS):
        model.train()
        for part in torch.randperm(len(pixels)).split(BATCH):
            loss = nn.functional.cross_entropy(model(normalized(turned(pixels[part]))), kinds[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()


def export(model, path):
    model.eval()
    torch.onnx.export(
        model, torch.zeros(2, 3, SIZE, SIZE), path, dynamo=False, opset_version=14, do_constant_folding=False,
        training=torch.onnx.TrainingMode.PRESERVE, input_names=["image"], output_names=["scores"],
        dynamic_axes={"image": {0: "batch"}, "scores": {0: "batch"}})
    onnx.checker.check_model(onnx.load(path), full_check=True)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    training, validation = (pictures(sys.argv[1], *numbers) for numbers in (TRAINING, VALIDATION))
    model = net().to(memory_format=torch.channels_last)
    train(model, *training)
    print(f"{accuracy(model, *validation):.2%} right")
    export(model, pathlib.Path(__file__).with_name("shapes.onnx"))


if __name__ == "__main__":
    main()
