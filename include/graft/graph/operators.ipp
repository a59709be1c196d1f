#pragma once
#include <graft/graph/operators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/detail/schema_facts.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1 {
namespace detail {

/// The rows of a custom schema, with their strings and lists.
class OwnSchema {
 public:
  OwnSchema(const OpName& name, OperatorSchema given)
      : given_(std::move(given)), domain_(name.domain), op_type_(name.op_type) {
    if (given_.since_version < 1 || given_.since_version > 255) throw fault("since_version is not in 1 ... 255");
    operator_ = {domain_.c_str(),
                 op_type_.c_str(),
                 static_cast<std::uint8_t>(given_.since_version),
                 0,
                 0,
                 0,
                 0,
                 0,
                 {},
                 {},
                 {},
                 {},
                 &rows_};
    operator_.inputs_ = add(given_.inputs, operator_.min_inputs, operator_.max_inputs);
    operator_.outputs_ = add(given_.outputs, operator_.min_outputs, operator_.max_outputs);
    add_attributes();
    operator_.attributes_ = {0, count(attributes_.size())};
    operator_.types_ = {0, count(types_.size())};
    rows_ = {parameters_.data(), attributes_.data(), types_.data()};
    if (given_.commutative) operator_.flags_ |= schema_facts::commutative;
    if (!given_.deterministic) operator_.flags_ |= schema_facts::random;
  }
  OwnSchema(const OwnSchema&) = delete;
  OwnSchema& operator=(const OwnSchema&) = delete;

  const schema::Operator& row() const { return operator_; }

 private:
  Error fault(const std::string& why) const {
    return Error("the schema of '" + to_string(OpName{domain_, op_type_}) + "': " + why);
  }

  std::uint8_t count(std::size_t number) const {
    if (number >= schema::Operator::unbounded) throw fault("there are more than 254 parameters or attributes");
    return static_cast<std::uint8_t>(number);
  }

  schema::Operator::Slice add(const std::vector<OperatorSchema::Parameter>& list, std::uint8_t& least,
                              std::uint8_t& most) {
    const schema::Operator::Slice slice{static_cast<std::uint16_t>(parameters_.size()), count(list.size())};
    most = slice.count;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const OperatorSchema::Parameter& parameter = list[i];
      if (parameter.option != schema::Option::optional) least = static_cast<std::uint8_t>(i + 1);
      parameters_.push_back({parameter.name.c_str(), type_of(parameter), parameter.option});
      if (!parameters_.back().variadic()) continue;
      if (i + 1 != list.size()) throw fault("'" + parameter.name + "' is variadic, and not the last");
      most = schema::Operator::unbounded;
    }
    return slice;
  }

  std::uint8_t type_of(const OperatorSchema::Parameter& parameter) {
    const auto known = std::find(type_names_.begin(), type_names_.end(), parameter.type);
    if (!parameter.type.empty() && known != type_names_.end())
      return static_cast<std::uint8_t>(known - type_names_.begin());
    schema::TypeSet allowed{~std::uint32_t{0}};
    if (const auto listed = given_.types.find(parameter.type); listed != given_.types.end()) {
      allowed.bits = 0;
      for (const DType dtype : listed->second) allowed.bits |= std::uint32_t{1} << static_cast<std::uint32_t>(dtype);
    }
    type_names_.push_back(parameter.type);
    types_.push_back(allowed);
    return count(types_.size() - 1);
  }

  void add_attributes() {
    for (const Attribute& attribute : given_.defaults) attributes_.push_back(with_default(attribute.proto()));
    for (const auto& [name, type] : given_.required)
      attributes_.push_back({name.c_str(), type, schema::Default::required});
    for (const auto& [name, type] : given_.optional) attributes_.push_back({name.c_str(), type});
    std::ranges::sort(attributes_, {}, &schema::Attribute::name);
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      const schema::Attribute& attribute = attributes_[i];
      if (i > 0 && attributes_[i - 1].name() == attribute.name())
        throw fault("the attribute '" + std::string(attribute.name()) + "' is listed twice");
      if (attribute.type == schema::AttributeType::graph || attribute.type == schema::AttributeType::graphs)
        operator_.flags_ |= schema_facts::bodies;
    }
  }

  schema::Attribute with_default(const onnx::AttributeProto& value) const {
    schema::Attribute made{value.name().c_str(), static_cast<schema::AttributeType>(value.type()),
                           schema::Default::value};
    switch (value.type()) {
      case onnx::AttributeProto::FLOAT: made.number_ = value.f(); break;
      case onnx::AttributeProto::INT: made.number_ = static_cast<double>(value.i()); break;
      case onnx::AttributeProto::STRING: made.text_ = value.s().c_str(); break;
      case onnx::AttributeProto::INTS:
        made.number_ = value.ints_size();
        made.list_ = value.ints().data();
        break;
      default:
        throw fault("the default of '" + value.name() + "' is not an integer, float, string or list of integers");
    }
    return made;
  }

  OperatorSchema given_;
  std::string domain_, op_type_;
  std::vector<std::string> type_names_;
  std::vector<schema::Parameter> parameters_;
  std::vector<schema::Attribute> attributes_;
  std::vector<schema::TypeSet> types_;
  schema::Operator::Rows rows_{};
  schema::Operator operator_{};
};

}  // namespace detail

GRAFT_INLINE Operators& Operators::add(std::string_view op, OperatorDefinition definition) {
  const OpName name = OpName::parse(op);
  if (name.op_type.empty()) throw Error("an operator needs a name");
  Entry entry;
  if (definition.schema) {
    const auto own = std::make_shared<const detail::OwnSchema>(name, *std::move(definition.schema));
    entry.schema = std::shared_ptr<const schema::Operator>(own, &own->row());
  }
  if (definition.shape) entry.shape = std::make_shared<const InferFunction>(std::move(definition.shape));
  if (definition.kernel) entry.kernel = std::make_shared<const Kernel>(std::move(definition.kernel));
  Entries entries = entries_ == nullptr ? Entries() : *entries_;
  overlay(entries[to_string(name)], entry);
  entries_ = std::make_shared<const Entries>(std::move(entries));
  return *this;
}

GRAFT_INLINE Operators& Operators::add(const Operators& others) {
  if (others.empty() || others == *this) return *this;
  if (empty()) return *this = others;
  Entries entries = *entries_;
  bool changed = false;
  for (const auto& [name, entry] : *others.entries_) changed = overlay(entries[name], entry) || changed;
  if (changed) entries_ = std::make_shared<const Entries>(std::move(entries));
  return *this;
}

/// Returns whether the entry changes.
GRAFT_INLINE bool Operators::overlay(Entry& entry, const Entry& other) {
  bool changed = false;
  const auto replace = [&changed](auto& part, const auto& by) {
    if (by == nullptr || part == by) return;
    part = by;
    changed = true;
  };
  replace(entry.schema, other.schema);
  replace(entry.shape, other.shape);
  replace(entry.kernel, other.kernel);
  return changed;
}

GRAFT_INLINE const Operators::Entry* Operators::find(std::string_view domain, std::string_view op_type) const {
  if (empty()) return nullptr;
  const auto found = entries_->find(to_string(OpName{canonical_domain(domain), op_type}));
  return found == entries_->end() ? nullptr : &found->second;
}

GRAFT_INLINE const schema::Operator* Operators::schema(std::string_view domain, std::string_view op_type) const {
  const Entry* const entry = find(domain, op_type);
  return entry == nullptr ? nullptr : entry->schema.get();
}

GRAFT_INLINE const InferFunction* Operators::shape(std::string_view domain, std::string_view op_type) const {
  const Entry* const entry = find(domain, op_type);
  return entry == nullptr ? nullptr : entry->shape.get();
}

GRAFT_INLINE const Kernel* Operators::kernel(std::string_view domain, std::string_view op_type) const {
  const Entry* const entry = find(domain, op_type);
  return entry == nullptr ? nullptr : entry->kernel.get();
}

GRAFT_INLINE std::vector<std::string> Operators::names() const {
  std::vector<std::string> names;
  if (empty()) return names;
  for (const auto& [name, entry] : *entries_) names.push_back(name);
  return names;
}

GRAFT_INLINE Operators Operators::without_kernels() const {
  Operators others;
  if (empty()) return others;
  Entries entries = *entries_;
  for (auto& [name, entry] : entries) entry.kernel = nullptr;
  others.entries_ = std::make_shared<const Entries>(std::move(entries));
  return others;
}

}  // namespace graft::inline v1
