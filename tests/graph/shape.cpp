#include <graft/graph/shape.hpp>

#include <string>
#include <type_traits>
#include <vector>

#include <catch2/catch.hpp>

using graft::Dim;
using graft::Dims;
using graft::DType;
using graft::same_size;
using graft::Shape;

TEST_CASE("a dim is known, a symbol, or unknown") {
  CHECK(Dim(0).known());
  CHECK(Dim(5).value() == 5);
  CHECK_FALSE(Dim(5).symbolic());
  CHECK(Dim("N").symbolic());
  CHECK(Dim("N").symbol() == "N");
  CHECK_FALSE(Dim("N").known());
  for (const Dim& unknown : {Dim(), Dim(-1), Dim(-5), Dim("")}) {
    CHECK_FALSE(unknown.known());
    CHECK_FALSE(unknown.symbolic());
    CHECK(unknown == Dim());
  }
  CHECK(Dim(1) != Dim(2));
  CHECK(Dim("N") != Dim("M"));
  CHECK(Dim("N") != Dim());
}

TEST_CASE("unknown dims are written alike, but not known to be of one size") {
  CHECK(Dim() == Dim());
  CHECK_FALSE(same_size(Dim(), Dim()));
  CHECK(same_size(Dim(3), Dim(3)));
  CHECK(same_size(Dim("N"), Dim("N")));
  CHECK_FALSE(same_size(Dim("N"), Dim(3)));

  CHECK(Shape() == Shape());
  CHECK_FALSE(same_size(Shape(), Shape()));
  CHECK(Shape({2, Dim()}) == Shape({2, Dim()}));
  CHECK_FALSE(same_size(Shape({2, Dim()}), Shape({2, Dim()})));
  CHECK(same_size(Shape({2, Dim("N")}), Shape({2, Dim("N")})));
  CHECK_FALSE(same_size(Shape({2, Dim("N")}), Shape({2})));
}

TEST_CASE("a shape views a type") {
  const onnx::TypeProto type = graft::tensor_type(DType::f32, Shape({1, Dim("N"), Dim()}));
  const Shape shape(type);
  CHECK(shape.known());
  REQUIRE(shape.rank() == 3);
  CHECK(shape[0] == Dim(1));
  CHECK(shape[1] == Dim("N"));
  CHECK(shape[2] == Dim());
  CHECK_FALSE(shape.dims());
  CHECK(shape[1].symbol().data() == type.tensor_type().shape().dim(1).dim_param().data());
  CHECK(graft::elem_type(type) == DType::f32);

  onnx::TypeProto sparse;
  sparse.mutable_sparse_tensor_type()->set_elem_type(7);
  sparse.mutable_sparse_tensor_type()->mutable_shape()->add_dim()->set_dim_value(4);
  CHECK(Shape(sparse).dims() == Dims{4});
  CHECK(graft::elem_type(sparse) == DType::i64);
}

TEST_CASE("an unknown rank is not rank 0") {
  const onnx::TypeProto unknown = graft::tensor_type(DType::f32);
  const onnx::TypeProto scalar = graft::tensor_type(DType::f32, Shape(Dims{}));
  CHECK_FALSE(Shape(unknown).known());
  CHECK_FALSE(Shape(unknown).dims());
  CHECK(Shape(scalar).known());
  CHECK(Shape(scalar).dims() == Dims{});
  CHECK(Shape(scalar) != Shape(unknown));
  const onnx::TypeProto none;
  CHECK_FALSE(Shape(none).known());
  CHECK(graft::elem_type(none) == DType::undefined);
}

TEST_CASE("shapes of tensors and of numbers are all known") {
  onnx::TensorProto tensor;
  tensor.add_dims(2);
  tensor.add_dims(0);
  CHECK(Shape(tensor).dims() == Dims{2, 0});
  const Dims dims{3, 4};
  CHECK(Shape(dims).dims() == dims);
  CHECK(Shape(dims) == Shape({3, 4}));
}

TEST_CASE("a shape of temporary dims keeps them, and one of a temporary proto does not compile") {
  const Shape numbers(Dims{7, 8, 9});
  const Shape copy = Shape({Dim(7), Dim(8), Dim(9)});
  CHECK(numbers == copy);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Shape, onnx::TypeProto>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Shape, onnx::TensorProto>);
  STATIC_REQUIRE(std::is_constructible_v<Shape, const onnx::TypeProto&>);
}

TEST_CASE("types read as dtype and shape") {
  CHECK(graft::to_string(graft::tensor_type(DType::f32, Shape({1, Dim("N"), Dim()}))) == "f32[1,N,?]");
  CHECK(graft::to_string(graft::tensor_type(DType::i4, Shape(Dims{}))) == "i4[]");
  CHECK(graft::to_string(graft::tensor_type(DType::u8)) == "u8");
  CHECK(graft::to_string(onnx::TypeProto()) == "undefined");

  onnx::TypeProto type;
  *type.mutable_sequence_type()->mutable_elem_type() = graft::tensor_type(DType::f32, Shape({2}));
  CHECK(graft::to_string(type) == "sequence(f32[2])");
  onnx::TypeProto optional;
  *optional.mutable_optional_type()->mutable_elem_type() = type;
  CHECK(graft::to_string(optional) == "optional(sequence(f32[2]))");
  type.mutable_map_type()->set_key_type(7);
  *type.mutable_map_type()->mutable_value_type() = graft::tensor_type(DType::f32);
  CHECK(graft::to_string(type) == "map(i64, f32)");
  type.mutable_sparse_tensor_type()->set_elem_type(1);
  CHECK(graft::to_string(type) == "sparse(f32)");
}

TEST_CASE("a shape knows of which type it is a view") {
  const onnx::TypeProto type = graft::tensor_type(DType::f32, Shape(Dims{2, 3})), equal = type;
  const onnx::TypeProto open = graft::tensor_type(DType::f32);
  CHECK(Shape(type).is_view_of(type));
  CHECK_FALSE(Shape(type).is_view_of(equal));
  CHECK_FALSE(Shape(Dims{2, 3}).is_view_of(type));
  CHECK_FALSE(Shape(open).is_view_of(open));
  CHECK_FALSE(Shape().is_view_of(onnx::TypeProto()));
}
