"""Optimizes a model with one of the peers, in a separate process; prints the seconds from file to file.

  optimize.py PEER MODEL OUTPUT

Imports are not counted. "olive" is the sequence in which that tool's peephole pass calls two of the others, without the
tool itself.
"""

import sys
import time

import onnx


def onnxoptimizer(model):
    import onnxoptimizer

    return lambda: onnxoptimizer.optimize(model(), onnxoptimizer.get_fuse_and_elimination_passes())


def onnxsim(model):
    import onnxsim

    return lambda: onnxsim.simplify(model())[0]


def onnxslim(model):
    import onnxslim

    return lambda: onnxslim.slim(model())


def onnxscript(model):
    from onnxscript import optimizer

    return lambda: optimizer.optimize(model())


def olive(model):
    import onnxoptimizer
    from onnxscript import optimizer

    passes = onnxoptimizer.get_fuse_and_elimination_passes()
    return lambda: onnxoptimizer.optimize(optimizer.optimize(model()), passes)


PEERS = {peer.__name__: peer for peer in (onnxoptimizer, onnxsim, onnxslim, onnxscript, olive)}


def main():
    peer, path, output = sys.argv[1:]
    run = PEERS[peer](lambda: onnx.load(path))
    start = time.perf_counter()
    result = run()
    onnx.save(result, output)
    print("seconds", time.perf_counter() - start)


if __name__ == "__main__":
    main()
