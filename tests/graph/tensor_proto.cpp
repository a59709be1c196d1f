#include <graft/graph/tensor_proto.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using graft::DType;
using graft::read_tensor;
using graft::Tensor;
using graft::write_tensor;

namespace {

onnx::TensorProto proto_of(DType dtype, const std::vector<std::int64_t>& dims, std::string_view name = "w") {
  onnx::TensorProto proto;
  proto.set_name(std::string(name));
  proto.set_data_type(static_cast<int>(dtype));
  for (const std::int64_t dim : dims) proto.add_dims(dim);
  return proto;
}

std::vector<DType> dense_dtypes() {
  std::vector<DType> dtypes;
  for (std::int32_t i = 1; is_known(DType{i}); ++i) {
    if (graft::bits(DType{i}) != 0) dtypes.push_back(DType{i});
  }
  return dtypes;
}

/// Some bytes that are valid elements of any dtype; 5 elements, so that packed ones do not fill their last byte.
Tensor sample(DType dtype) {
  std::string bytes(graft::byte_count(dtype, graft::Dims{5}), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(dtype == DType::boolean ? i % 2 : 37 * i + 5);
  }
  return Tensor::own(dtype, {5}, bytes);
}

/// Stores a tensor the way ONNX prescribes when raw_data is not used, written out here from the comments of onnx.proto.
onnx::TensorProto typed(const Tensor& tensor) {
  onnx::TensorProto proto = proto_of(tensor.dtype(), tensor.dims());
  const auto bytes = tensor.bytes();
  const auto integer = [&](std::size_t i, std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t k = width; k-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i * width + k]);
    return value;
  };
  switch (tensor.dtype()) {
    case DType::f32:
      for (const float value : tensor.data<float>()) proto.add_float_data(value);
      break;
    case DType::c64:
      for (const std::complex<float> value : tensor.data<std::complex<float>>()) {
        proto.add_float_data(value.real());
        proto.add_float_data(value.imag());
      }
      break;
    case DType::f64:
      for (const double value : tensor.data<double>()) proto.add_double_data(value);
      break;
    case DType::c128:
      for (const std::complex<double> value : tensor.data<std::complex<double>>()) {
        proto.add_double_data(value.real());
        proto.add_double_data(value.imag());
      }
      break;
    case DType::i64:
      for (std::size_t i = 0; i < 5; ++i) proto.add_int64_data(static_cast<std::int64_t>(integer(i, 8)));
      break;
    case DType::u32:
      for (std::size_t i = 0; i < 5; ++i) proto.add_uint64_data(integer(i, 4));
      break;
    case DType::u64:
      for (std::size_t i = 0; i < 5; ++i) proto.add_uint64_data(integer(i, 8));
      break;
    case DType::i8:
      for (const std::int8_t value : tensor.data<std::int8_t>()) proto.add_int32_data(value);
      break;
    case DType::i16:
      for (const std::int16_t value : tensor.data<std::int16_t>()) proto.add_int32_data(value);
      break;
    default: {
      const std::size_t width = std::max<std::size_t>(bits(tensor.dtype()) / 8, 1);
      for (std::size_t i = 0; i < bytes.size() / width; ++i) {
        proto.add_int32_data(static_cast<std::int32_t>(integer(i, width)));
      }
    }
  }
  return proto;
}

}  // namespace

TEST_CASE("every dtype goes through raw_data and back") {
  for (const DType dtype : dense_dtypes()) {
    INFO(to_string(dtype));
    const Tensor tensor = sample(dtype);
    onnx::TensorProto proto;
    write_tensor(Tensor(tensor), proto);
    CHECK(proto.data_type() == static_cast<int>(dtype));
    CHECK(proto.dims_size() == 1);
    CHECK(proto.raw_data().size() == tensor.bytes().size());
    CHECK(read_tensor(proto).same_bytes(tensor));
  }
}

TEST_CASE("every dtype is read from its typed field") {
  for (const DType dtype : dense_dtypes()) {
    INFO(to_string(dtype));
    const Tensor tensor = sample(dtype);
    CHECK(read_tensor(typed(tensor)).same_bytes(tensor));
  }
}

TEST_CASE("raw_data and typed fields of one element each are read in place") {
  onnx::TensorProto raw = proto_of(DType::f32, {100});
  raw.set_raw_data(std::string(400, '\0'));
  CHECK(static_cast<const void*>(read_tensor(raw).bytes().data()) == raw.raw_data().data());

  onnx::TensorProto floats = typed(sample(DType::f32));
  CHECK(read_tensor(floats).data<float>().data() == floats.float_data().data());
  const onnx::TensorProto indices = typed(sample(DType::i64));
  CHECK(read_tensor(indices).data<std::int64_t>().data() == indices.int64_data().data());
}

TEST_CASE("a tensor holds what keeps its bytes alive") {
  auto proto = std::make_shared<onnx::TensorProto>(typed(sample(DType::f32)));
  const std::weak_ptr<onnx::TensorProto> watch = proto;
  const Tensor tensor = read_tensor(*proto, nullptr, proto);
  proto.reset();
  CHECK_FALSE(watch.expired());
  CHECK(tensor.same_bytes(sample(DType::f32)));
}

TEST_CASE("a bool of another byte than 0 and 1 is true") {
  onnx::TensorProto raw = proto_of(DType::boolean, {3});
  raw.set_raw_data(std::string("\2\0\377", 3));
  CHECK(read_tensor(raw).to<int>() == std::vector<int>{1, 0, 1});
  onnx::TensorProto entries = proto_of(DType::boolean, {3});
  for (const int entry : {256, 0, 1}) entries.add_int32_data(entry);
  CHECK(read_tensor(entries).to<int>() == std::vector<int>{1, 0, 1});
}

TEST_CASE("empty tensors need no data") {
  const Tensor tensor = read_tensor(proto_of(DType::i64, {0}));
  CHECK(tensor);
  CHECK(tensor.to<int>().empty());
  onnx::TensorProto raw = proto_of(DType::i64, {2, 0});
  raw.set_raw_data("");
  CHECK(read_tensor(raw).size() == 0);
}

TEST_CASE("data of the wrong length is an error that says what was wanted") {
  onnx::TensorProto raw = proto_of(DType::f32, {2, 3});
  raw.set_raw_data(std::string(23, '\0'));
  CHECK_THROWS_WITH(read_tensor(raw), "tensor 'w': raw_data of f32[2,3]: expected 24 bytes, found 23");
  raw.set_raw_data("");
  CHECK_THROWS_WITH(read_tensor(raw), Catch::Contains("found 0"));

  onnx::TensorProto floats = proto_of(DType::f32, {2});
  floats.add_float_data(1);
  CHECK_THROWS_WITH(read_tensor(floats), "tensor 'w': float_data of f32[2]: expected 2 entries, found 1");
  onnx::TensorProto complex = proto_of(DType::c64, {1});
  complex.add_float_data(1);
  CHECK_THROWS_WITH(read_tensor(complex), Catch::Contains("expected 2 entries, found 1"));
  onnx::TensorProto packed = proto_of(DType::i4, {4});
  for (int i = 0; i < 4; ++i) packed.add_int32_data(0);
  CHECK_THROWS_WITH(read_tensor(packed), "tensor 'w': int32_data of i4[4]: expected 2 entries, found 4");
  CHECK_THROWS_WITH(read_tensor(proto_of(DType::i8, {1LL << 50})), Catch::Contains("found 0"));
}

TEST_CASE("tensors that cannot be read are errors that name them") {
  CHECK_THROWS_WITH(read_tensor(proto_of(DType{77}, {1})), "tensor 'w': unknown dtype 77");
  CHECK_THROWS_WITH(read_tensor(proto_of(DType::undefined, {1})), "tensor 'w': undefined tensors are not dense");
  CHECK_THROWS_WITH(read_tensor(proto_of(DType::string, {1})), "tensor 'w': string tensors are not dense");
  CHECK_THROWS_WITH(read_tensor(proto_of(DType::f32, {2, -3})), "tensor 'w': negative dim in [2,-3]");
  CHECK_THROWS_WITH(read_tensor(proto_of(DType::f32, {1LL << 40, 1LL << 40})), Catch::Contains("overflows"));
  CHECK_THROWS_WITH(read_tensor(proto_of(DType{77}, {1}, "")), "unknown dtype 77");

  onnx::TensorProto segment = proto_of(DType::f32, {1});
  segment.mutable_segment()->set_end(1);
  CHECK_THROWS_WITH(read_tensor(segment), Catch::Contains("segment"));

  onnx::TensorProto external = proto_of(DType::f32, {1});
  external.set_data_location(onnx::TensorProto::EXTERNAL);
  CHECK_THROWS_WITH(read_tensor(external), Catch::Contains("folder is unknown"));
}

TEST_CASE("writing moves the bytes of a tensor that nobody shares") {
  Tensor tensor = Tensor(DType::f32, {1000});
  const void* place = tensor.bytes().data();
  onnx::TensorProto proto;
  write_tensor(std::move(tensor), proto);
  CHECK(proto.raw_data().data() == place);

  google::protobuf::Arena arena;
  auto* on_arena = google::protobuf::Arena::CreateMessage<onnx::TensorProto>(&arena);
  tensor = Tensor(DType::f32, {1000});
  place = tensor.bytes().data();
  write_tensor(std::move(tensor), *on_arena);
  CHECK(on_arena->raw_data().data() == place);
}

TEST_CASE("writing replaces what the proto held and leaves its name") {
  onnx::TensorProto proto = typed(sample(DType::f32));
  proto.set_doc_string("weights");
  proto.set_data_location(onnx::TensorProto::EXTERNAL);
  proto.add_external_data()->set_key("location");
  proto.add_string_data("x");
  proto.mutable_segment()->set_begin(1);
  write_tensor(Tensor::of({1, 2}, {1, 2}), proto);

  onnx::TensorProto expected = proto_of(DType::i32, {1, 2});
  expected.set_doc_string("weights");
  expected.set_raw_data(std::string("\1\0\0\0\2\0\0\0", 8));
  CHECK(proto.SerializeAsString() == expected.SerializeAsString());
}

TEST_CASE("a tensor can be written over the proto that it was read from") {
  for (const bool raw : {false, true}) {
    onnx::TensorProto proto = typed(sample(DType::f32));
    if (raw) write_tensor(sample(DType::f32), proto);
    write_tensor(read_tensor(proto).reshaped({5, 1}), proto);
    CHECK(read_tensor(proto).same_bytes(sample(DType::f32).reshaped({5, 1})));
  }
}

TEST_CASE("an undefined tensor is not written") {
  onnx::TensorProto proto;
  CHECK_THROWS_AS(write_tensor(Tensor(), proto), graft::Error);
}

namespace {

/// Each tensor that is added has the next letter for its name.
class Letters {
 public:
  void name(onnx::TensorProto& tensor) { tensor.set_name(std::string(1, next_++)); }
  void fill(onnx::SparseTensorProto& tensor) {
    name(*tensor.mutable_values());
    name(*tensor.mutable_indices());
  }
  void fill(onnx::AttributeProto& attribute) {
    name(*attribute.mutable_t());
    name(*attribute.add_tensors());
    fill(*attribute.mutable_sparse_tensor());
    fill(*attribute.add_sparse_tensors());
  }
  void fill(onnx::GraphProto& graph) {
    name(*graph.add_initializer());
    fill(*graph.add_sparse_initializer());
  }

 private:
  char next_ = 'a';
};

std::string names_in(auto& message) {
  std::string names;
  graft::for_each_tensor(message, [&](onnx::TensorProto& tensor) { names += tensor.name(); });
  return names;
}

}  // namespace

TEST_CASE("tensors of a graph are found in initializers, attributes and bodies, each once") {
  onnx::GraphProto graph;
  Letters letters;
  letters.fill(graph);  // abc
  onnx::AttributeProto& attribute = *graph.add_node()->add_attribute();
  letters.fill(attribute);                                                               // defghi
  letters.fill(*attribute.mutable_g());                                                  // jkl
  letters.fill(*attribute.add_graphs());                                                 // mno
  letters.fill(*attribute.mutable_graphs(0)->add_node()->add_attribute()->mutable_g());  // pqr
  CHECK(names_in(graph) == "abcdefghijklmnopqr");
  CHECK(names_in(*graph.mutable_node()) == "defghijklmnopqr");
  CHECK(names_in(attribute) == "defghi");
  CHECK(names_in(*graph.mutable_sparse_initializer(0)) == "bc");
}

TEST_CASE("absent tensors are not made by looking for them") {
  onnx::GraphProto graph;
  graph.add_node()->add_attribute()->add_sparse_tensors();
  graph.add_sparse_initializer();
  const std::string before = graph.SerializeAsString();
  CHECK(names_in(graph).empty());
  CHECK(graph.SerializeAsString() == before);
}
