#include <graft/evaluate/onnxruntime_api.hpp>

#include <memory>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a tensor of graft becomes a value of the runtime and comes back") {
  const OnnxRuntimeApi api;
  CHECK(OnnxRuntimeApi::version().find('.') != std::string::npos);
  const Tensor tensor = Tensor::of<float>({2, 1}, {3, 4});
  std::shared_ptr<OrtValue> value = api.borrowed(tensor);
  const Tensor back = api.owning(std::move(value));
  CHECK(back.same_bytes(tensor));
  CHECK(back.dims() == Dims{2, 1});
  CHECK(back.bytes().data() == tensor.bytes().data());
  CHECK(api.owning(api.borrowed(Tensor(DType::i64, {0, 3}))).dims() == Dims{0, 3});
}

TEST_CASE("a status of the runtime is thrown") {
  const OnnxRuntimeApi api;
  CHECK_NOTHROW(api.check(nullptr));
  CHECK_THROWS_WITH(api.check(api->CreateStatus(ORT_FAIL, "no")), "ONNX Runtime: no");
  CHECK_THROWS_WITH(api.owning(nullptr), "is not a tensor");
}
