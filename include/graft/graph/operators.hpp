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

/// The inference of an operator: reads the inputs from the context and sets what follows for the outputs. graft's own,
/// such as infer::conv, may serve. After a no, the outputs stay as declared.
using InferFunction = std::function<Verdict(InferContext&)>;

/// Computes the outputs of a node: see evaluate/kernel_context.hpp.
using Kernel = std::function<void(KernelContext&)>;

/// The inputs, outputs and attributes of an operator of your own.
struct OperatorSchema {
  struct Parameter {
    std::string name;
    /// Parameters with the same name here have the same dtype. Without one, the dtype is independent of the others.
    std::string type{};
    schema::Option option = schema::Option::single;
  };
  std::vector<Parameter> inputs{}, outputs{};
  /// Attributes that may be absent, each with its default: an integer, a float, a string or a list of integers.
  Attributes defaults{};
  /// Attributes that must be present, and those that may be absent and have no default.
  std::vector<std::pair<std::string, schema::AttributeType>> required{}, optional{};
  /// The dtypes that a type of the parameters may be; any if it is not listed.
  std::map<std::string, std::vector<DType>> types{};
  /// The first version of the operator's domain that has it.
  int since_version = 1;
  bool commutative = false;
  /// Equal inputs give equal outputs.
  bool deterministic = true;
};

/// What an operator is. Each part is optional.
struct OperatorDefinition {
  /// Gives absent attributes their defaults, lets verify() check nodes and rules leave out default attributes.
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
  /// Adds all of the others, which have precedence.
  Operators& add(const Operators& others);

  bool empty() const { return entries_ == nullptr; }
  /// nullptr if the part is missing.
  const schema::Operator* schema(std::string_view domain, std::string_view op_type) const;
  const InferFunction* shape(std::string_view domain, std::string_view op_type) const;
  const Kernel* kernel(std::string_view domain, std::string_view op_type) const;
  /// "domain::Op", sorted.
  std::vector<std::string> names() const;
  /// The same operators, which executors and folding do not know.
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

  std::shared_ptr<const Entries> entries_;  // never changed, but replaced
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/operators.ipp>
#endif
