#pragma once
#include <graft/testing/detail/grow/pattern_grower.hpp>

#include <optional>
#include <string>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/pattern/table.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE void PatternGrower::say_attributes(NodeMaker& node, std::size_t at) const {
  const PatternNode& here = row(at);
  node.closed_attributes = pattern_.closed && !here.open && !here.reemitted;
  for (const PatternAttr& said : pattern_.attrs.subspan(here.attr0, here.attr_count)) {
    const schema::Place place = schema::parameter(node.facts(), said.name);
    if (!place) {
      if (!said.optional && said.mode == AttrMode::equals) throw Unfit();
      continue;
    }
    const bool is_input = place.kind == schema::Place::Kind::input;
    const std::string_view name = is_input ? said.name : node.facts().attributes()[place.index].name();
    node.mentioned.push_back(name);
    std::optional<Attribute> value;
    if (const auto bound = attributes_.find(said.slot); said.slot >= 0 && bound != attributes_.end()) {
      value = Attribute(name, bound->second.proto());
    } else if (said.mode == AttrMode::equals && !(said.optional && grower_->dice().one_in(2))) {
      const Ints words(pattern_.words.begin() + said.word0, pattern_.words.begin() + said.word0 + said.word_count);
      switch (said.type) {
        case Kind::f32: value = Attribute(name, said.literal.f); break;
        case Kind::str: value = Attribute(name, said.literal.s); break;
        case Kind::ints:
        case Kind::axes: value = Attribute(name, words); break;
        default: value = Attribute(name, said.literal.i); break;
      }
    }
    if (!is_input) {
      if (value) node.fixed.emplace(std::string(name), *value);
      continue;
    }
    while (node.operands.size() <= place.index) {
      node.operands.emplace_back();
      node.operands.back().kind = NodeOperand::Kind::absent;
    }
    NodeOperand& operand = node.operands[place.index];
    if (operand.kind != NodeOperand::Kind::absent) continue;  // an operand of the pattern replaces it
    if (said.optional && grower_->dice().one_in(2)) continue;
    operand.kind = NodeOperand::Kind::constant;
    if (!value) continue;
    const onnx::AttributeProto& proto = value->proto();
    if (proto.type() == onnx::AttributeProto::INTS) {
      operand.contents = Tensor::list(Ints(proto.ints().begin(), proto.ints().end()));
    } else {
      operand.all_equal = proto.type() == onnx::AttributeProto::FLOAT ? static_cast<double>(proto.f())
                                                                      : static_cast<double>(proto.i());
    }
  }
}

GRAFT_INLINE void PatternGrower::remember_attributes(const Node& node, std::size_t at) {
  const PatternNode& here = row(at);
  for (const PatternAttr& said : pattern_.attrs.subspan(here.attr0, here.attr_count)) {
    if (said.mode != AttrMode::capture || said.slot < 0 || node.schema() == nullptr) continue;
    const schema::Place place = schema::parameter(*node.schema(), said.name);
    if (place.kind == schema::Place::Kind::attribute) {
      const onnx::AttributeProto* const given = node.attribute(node.schema()->attributes()[place.index].name());
      if (given != nullptr) attributes_.try_emplace(said.slot, Attribute(*given));
    } else if (place.kind == schema::Place::Kind::input && node.input(place.index) != nullptr) {
      const std::optional<Tensor> contents = node.input(place.index)->constant();
      if (contents && is_integer(contents->dtype()))
        attributes_.try_emplace(said.slot, Attribute(said.name, contents->to<std::int64_t>()));
    }
  }
}

}  // namespace graft::inline v1::detail
