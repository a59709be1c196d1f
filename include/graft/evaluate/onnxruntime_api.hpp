#pragma once
// Needs ONNX Runtime: the header of its C API to compile, its library to link. Only headers that run sessions include
// this one.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <onnxruntime_c_api.h>

#include <graft/graph.hpp>

namespace graft::inline v1 {

/// ONNX Runtime's C API with handles that free themselves, statuses that are thrown, and graft's tensors.
class OnnxRuntimeApi {
 public:
  /// Throws Error if the library is older than the header.
  OnnxRuntimeApi() {
    if (api_ == nullptr) {
      throw Error("the library of ONNX Runtime, " + version() +
                  ", is older than the header that it was compiled with");
    }
    environment_ = make(api_->ReleaseEnv, [this](OrtEnv** made) {
      return api_->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "graft", made);  // no logs: failures are thrown
    });
    memory_ = make(api_->ReleaseMemoryInfo, [this](OrtMemoryInfo** made) {
      return api_->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, made);
    });
  }

  /// The version of the library: "1.24.4".
  static std::string version() { return OrtGetApiBase()->GetVersionString(); }

  const OrtApi& operator*() const { return *api_; }
  const OrtApi* operator->() const { return api_; }
  OrtEnv& environment() const { return *environment_; }

  /// Throws Error with the runtime's message.
  void check(OrtStatus* status) const {
    if (status == nullptr) return;
    const std::shared_ptr<OrtStatus> owned(status, api_->ReleaseStatus);
    throw Error(std::string("ONNX Runtime: ") + api_->GetErrorMessage(status));
  }
  /// The object that make(T**) makes and release(T*) frees.
  template <class T, class Make>
  std::shared_ptr<T> make(void (*release)(T*), const Make& make) const {
    T* made = nullptr;
    check(make(&made));
    return {made, release};
  }

  /// A view of the tensor's bytes, which the runtime does not write and which must outlive the value.
  std::shared_ptr<OrtValue> borrowed(const Tensor& tensor) const {
    static constexpr std::byte none{};
    const std::span<const std::byte> bytes = tensor.bytes();
    void* const data = const_cast<std::byte*>(bytes.empty() ? &none : bytes.data());
    const auto element = static_cast<ONNXTensorElementDataType>(tensor.dtype());  // both are ONNX's numbers
    return make(api_->ReleaseValue, [&](OrtValue** made) {
      return api_->CreateTensorWithDataAsOrtValue(memory_.get(), data, bytes.size(), tensor.dims().data(),
                                                  tensor.rank(), element, made);
    });
  }

  /// A view of the bytes of the runtime's value, which it keeps alive. Throws Error if that is not a tensor.
  Tensor owning(std::shared_ptr<OrtValue> value) const {
    int is_tensor = 0;
    if (value != nullptr) check(api_->IsTensor(value.get(), &is_tensor));
    if (is_tensor == 0) throw Error("is not a tensor");
    const auto type = make(api_->ReleaseTensorTypeAndShapeInfo, [&](OrtTensorTypeAndShapeInfo** made) {
      return api_->GetTensorTypeAndShape(value.get(), made);
    });
    ONNXTensorElementDataType element{};
    std::size_t rank = 0;
    check(api_->GetTensorElementType(type.get(), &element));
    check(api_->GetDimensionsCount(type.get(), &rank));
    Dims dims(rank);
    check(api_->GetDimensions(type.get(), dims.data(), rank));
    const auto dtype = static_cast<DType>(element);
    const std::size_t size = byte_count(dtype, dims);
    void* data = nullptr;
    check(api_->GetTensorMutableData(value.get(), &data));
    return Tensor(dtype, std::move(dims), std::shared_ptr<void>(std::move(value), data), size);
  }

  std::vector<std::string> output_names(const OrtSession& session) const {
    std::size_t count = 0;
    OrtAllocator* allocator = nullptr;
    check(api_->SessionGetOutputCount(&session, &count));
    check(api_->GetAllocatorWithDefaultOptions(&allocator));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      char* name = nullptr;
      check(api_->SessionGetOutputName(&session, i, allocator, &name));
      names.emplace_back(name);
      check(api_->AllocatorFree(allocator, name));
    }
    return names;
  }

  /// values: those of the inputs. Several runs of a session can take place at the same time.
  std::vector<std::shared_ptr<OrtValue>> run(OrtSession& session, const std::vector<std::string>& inputs,
                                             const std::vector<std::shared_ptr<OrtValue>>& values,
                                             const std::vector<std::string>& outputs) const {
    std::vector<const char*> fed_names, wanted;
    std::vector<const OrtValue*> fed;
    for (const std::string& name : inputs) fed_names.push_back(name.c_str());
    for (const std::string& name : outputs) wanted.push_back(name.c_str());
    for (const auto& value : values) fed.push_back(value.get());
    std::vector<OrtValue*> made(outputs.size());
    OrtStatus* const status = api_->Run(&session, nullptr, fed_names.data(), fed.data(), fed.size(),
                                        wanted.data(), made.size(), made.data());
    std::vector<std::shared_ptr<OrtValue>> results;
    for (OrtValue* const value : made) results.emplace_back(value, api_->ReleaseValue);
    check(status);
    return results;
  }

 private:
  const OrtApi* api_ = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  std::shared_ptr<OrtEnv> environment_;
  std::shared_ptr<OrtMemoryInfo> memory_;
};

}  // namespace graft::inline v1
