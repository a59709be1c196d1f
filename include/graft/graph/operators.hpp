#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1 {

class InferContext;
class KernelContext;

/// Infers the outputs of an operator: reads the inputs from the context and sets the types of the outputs. A function
/// of graft, such as infer::conv, may be used. If it returns no, the outputs keep their declared types.
using InferFunction = std::function<Verdict(InferContext&)>;

/// Computes the outputs of a node: see evaluate/kernel_context.hpp.
using Kernel = std::function<void(KernelContext&)>;

/// The inputs, outputs and attributes of a custom operator.
struct OperatorSchema {
  struct Parameter {
    std::string name;
    /// Parameters with the same type name have the same dtype. An empty name stands for an independent dtype.
    std::string type{};
    schema::Option option = schema::Option::single;
  };
  std::vector<Parameter> inputs{}, outputs{};
  /// Optional attributes with defaults: an integer, a float, a string or a list of integers.
  Attributes defaults{};
  /// Required attributes, and optional ones without a default.
  std::vector<std::pair<std::string, schema::AttributeType>> required{}, optional{};
  /// The permitted dtypes of each type name; any dtype if it is not listed.
  std::map<std::string, std::vector<DType>> types{};
  /// The first version of the operator's domain that has it.
  int since_version = 1;
  bool commutative = false;
  /// Whether equal inputs give equal outputs.
  bool deterministic = true;
};

/// The definition of an operator. Each part is optional.
struct OperatorDefinition {
  /// Gives absent attributes their defaults. verify() uses it to check nodes, and rules to leave out default
  /// attributes.
  std::optional<OperatorSchema> schema{};
  InferFunction shape{};
  Kernel kernel{};
};

/// The operators of a user: schema, shape function and kernel by name. Add them to a Model or to a Context; a pass adds
/// those of its Context to its model. Whatever works on the model then knows them: inference, verify(), rules,
/// executors, folding. Copies are cheap.
///
///   Context context;
///   context.operators.add("mine::Twice", {.shape = twice_shape, .kernel = twice});
class Operators {
 public:
  /// op is "domain::Op", or "Op" of the main domain. A part replaces the same part of an earlier definition, and that
  /// of the library's own operator. Throws Error for an empty name or a schema that contradicts itself.
  Operators& add(std::string_view op, OperatorDefinition definition);
  /// Adds all operators of the other registry, which take precedence.
  Operators& add(const Operators& others);

  bool empty() const { return entries_ == nullptr; }
  /// The part of an operator; nullptr if it is missing.
  const schema::Operator* schema(std::string_view domain, std::string_view op_type) const;
  const InferFunction* shape(std::string_view domain, std::string_view op_type) const;
  const Kernel* kernel(std::string_view domain, std::string_view op_type) const;
  /// "domain::Op", sorted.
  std::vector<std::string> names() const;
  /// The same operators for inference and rules, but without kernels for executors and folding.
  Operators without_kernels() const;

  /// Whether both are copies of one registry.
  bool operator==(const Operators& other) const { return entries_ == other.entries_; }

 private:
  struct Entry {
    std::shared_ptr<const schema::Operator> schema{};
    std::shared_ptr<const InferFunction> shape{};
    std::shared_ptr<const Kernel> kernel{};
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  const Entry* find(std::string_view domain, std::string_view op_type) const;
  static bool overlay(Entry& entry, const Entry& other);

  std::shared_ptr<const Entries> entries_;  // never modified, only replaced
};

}  // namespace graft::inline v1
