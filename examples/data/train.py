"""Trains shapes.onnx, which the quickstart quantizes: a small ResNet with pre-activation and 5x5 kernels.

    apt-get install python3-torch                  # Debian 12: torch 1.13.0
    cmake --build build --target draw_shapes
    /usr/bin/python3 examples/data/train.py build/examples/draw_shapes

It takes 15 minutes on one core. The same processor and the same torch make the same weights again.
"""

import pathlib
import subprocess
import sys
from collections import OrderedDict

import numpy
import torch
from torch import nn

CLASSES, SIZE = 10, 64
TRAINING, VALIDATION = (1_000_000, 16384), (900_000, 2000)  # first number and count; the quickstart's are lower
BATCH, EPOCHS, RATE = 32, 6, 4e-3


def pictures(draw_shapes, first, count):
    drawn = subprocess.run([draw_shapes, str(first), str(count)], stdout=subprocess.PIPE, check=True).stdout
    pixels = torch.from_numpy(numpy.frombuffer(drawn, numpy.uint8).reshape(count, 3, SIZE, SIZE).copy())
    return pixels, torch.arange(first, first + count) % CLASSES


def normalized(pixels):
    return pixels.float() / 128 - 1


def conv(inputs, outputs, kernel=5, stride=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)


class Block(nn.Module):
    """He et al., 2016. Its first normalization follows an Add, so it cannot be folded into a Conv."""

    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.before = nn.Sequential(nn.BatchNorm2d(inputs), nn.ReLU())
        self.body = nn.Sequential(
            conv(inputs, outputs, stride=stride), nn.BatchNorm2d(outputs), nn.ReLU(), conv(outputs, outputs))
        self.shortcut = None if inputs == outputs else conv(inputs, outputs, 1, stride)

    def forward(self, x):
        y = self.before(x)
        return self.body(y) + (x if self.shortcut is None else self.shortcut(y))


def net():
    return nn.Sequential(
        OrderedDict(
            stem=nn.Sequential(conv(3, 32, stride=2), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(3, 2, 1)),
            blocks=nn.Sequential(Block(32, 48), Block(48, 48), Block(48, 72, stride=2)),
            pool=nn.Sequential(nn.BatchNorm2d(72), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
            classifier=nn.Linear(72, CLASSES),
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
    for epoch in range(EPOCHS):
        model.train()
        for part in torch.randperm(len(pixels)).split(BATCH):
            loss = nn.functional.cross_entropy(model(normalized(turned(pixels[part]))), kinds[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        print(f"epoch {epoch + 1}: loss {loss.item():.3f}", flush=True)


def export(model, path):
    model.eval()
    torch.onnx.export(
        model, torch.zeros(2, 3, SIZE, SIZE), path, opset_version=14, do_constant_folding=False,
        training=torch.onnx.TrainingMode.PRESERVE, input_names=["image"], output_names=["scores"],
        dynamic_axes={"image": {0: "batch"}, "scores": {0: "batch"}})


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    training, validation = (pictures(sys.argv[1], *numbers) for numbers in (TRAINING, VALIDATION))
    model = net()
    train(model, *training)
    print(f"{accuracy(model, *validation):.2%} right")
    export(model, pathlib.Path(__file__).with_name("shapes.onnx"))


if __name__ == "__main__":
    main()
