#include <graft/evaluate/kernels.hpp>

#include <catch2/catch.hpp>
#include <graft/evaluate/evaluator.hpp>

using namespace graft;

namespace {
const char* const kernels = "a name that users have";
}  // namespace

TEST_CASE("the library leaves plain names to its users") { CHECK(kernels != nullptr); }

TEST_CASE("the standard kernels cover what quantized networks are made of") {
  for (const char* op : {"Conv",
                         "Gemm",
                         "MatMul",
                         "BatchNormalization",
                         "MaxPool",
                         "AveragePool",
                         "GlobalAveragePool",
                         "GlobalMaxPool",
                         "Relu",
                         "LeakyRelu",
                         "PRelu",
                         "Clip",
                         "HardSwish",
                         "HardSigmoid",
                         "Sigmoid",
                         "Tanh",
                         "Elu",
                         "Erf",
                         "Softmax",
                         "LayerNormalization",
                         "Gelu",
                         "Add",
                         "Sub",
                         "Mul",
                         "Div",
                         "Pow",
                         "Sqrt",
                         "Exp",
                         "Neg",
                         "Min",
                         "Max",
                         "Concat",
                         "Split",
                         "Slice",
                         "Gather",
                         "Reshape",
                         "Flatten",
                         "Squeeze",
                         "Unsqueeze",
                         "Transpose",
                         "Expand",
                         "Pad",
                         "Shape",
                         "Cast",
                         "Constant",
                         "ConstantOfShape",
                         "Identity",
                         "Dropout",
                         "ReduceMean",
                         "ReduceSum",
                         "Where",
                         "Equal",
                         "If",
                         "QuantizeLinear",
                         "DequantizeLinear"}) {
    INFO(op);
    CHECK(Kernels::standard().find("", op, 17) != nullptr);
  }
}

TEST_CASE("kernels do not serve opsets whose operator means something else") {
  CHECK(Kernels::standard().find("", "Add", 6) == nullptr);
  CHECK(Kernels::standard().find("", "BatchNormalization", 6) == nullptr);
}
