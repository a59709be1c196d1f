#pragma once
// Mutations of protobuf messages by what they mean: of bytes at random nearly all are not a message.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <graft/graph/schema.hpp>
#include <graft/testing/random.hpp>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Changes one field somewhere in a message. Texts and numbers mostly come from elsewhere in the message, so that names
/// meet other names and extents other extents.
class Mutation {
 public:
  using Message = google::protobuf::Message;
  using Field = google::protobuf::FieldDescriptor;

  Mutation(Message& message, graft::Random& random) : random_(random) {
    collect(message);
  }

  void apply() {
    if (places_.empty() || one_in(6)) return add();
    const auto [message, field] = pick(places_);
    if (field->is_repeated()) return change_list(*message, *field);
    if (field->cpp_type() != Field::CPPTYPE_MESSAGE && !one_in(8)) return set(*message, *field);
    message->GetReflection()->ClearField(message, field);
  }

 private:
  struct Place {
    Message* message;
    const Field* field;
  };

  bool one_in(std::int64_t n) { return random_.integer(1, n) == 1; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(random_.integer(0, std::ssize(from) - 1))];
  }

  void collect(Message& message) {
    messages_.push_back(&message);
    const auto& reflection = *message.GetReflection();
    std::vector<const Field*> fields;
    reflection.ListFields(message, &fields);
    for (const Field* const field : fields) {
      places_.push_back({&message, field});
      const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
      for (int i = 0; i < std::min(count, 1000); ++i) {
        if (field->cpp_type() == Field::CPPTYPE_MESSAGE) {
          collect(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, i)
                                       : *reflection.MutableMessage(&message, field));
        } else if (field->cpp_type() == Field::CPPTYPE_STRING) {
          const std::string text = field->is_repeated() ? reflection.GetRepeatedString(message, field, i)
                                                        : reflection.GetString(message, field);
          if (field->type() == Field::TYPE_STRING || text.size() < 64) texts_.push_back(text);
        } else if (field->cpp_type() == Field::CPPTYPE_INT64) {
          numbers_.push_back(field->is_repeated() ? reflection.GetRepeatedInt64(message, field, i)
                                                  : reflection.GetInt64(message, field));
        }
      }
    }
  }

  std::int64_t number() {
    using Wide = std::numeric_limits<std::int64_t>;
    using Narrow = std::numeric_limits<std::int32_t>;
    static const std::vector<std::int64_t> usual{
        0, 1, 2, 3, 4, 7, 8, 13, 16, 64, 1024, 65535, 1 << 20, -1, -2, -3, -128,
        Narrow::max(), Narrow::min(), std::int64_t{1} << 32, std::int64_t{1} << 62, Wide::max(), Wide::min()};
    if (numbers_.empty() || one_in(2)) return pick(usual);
    const auto found = static_cast<std::uint64_t>(pick(numbers_));
    return static_cast<std::int64_t>(found + static_cast<std::uint64_t>(random_.integer(-1, 1)));
  }

  float real() {
    static const std::vector<float> usual{0, -0.0F, 1, -1, 0.5F, 1e-5F, 2, 6, 1e10F, -1e30F,
                                          std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min(),
                                          std::numeric_limits<float>::infinity(),
                                          std::numeric_limits<float>::quiet_NaN()};
    return pick(usual);
  }

  std::string text(const Message& message, const Field& field) {
    using graft::detail::schema_facts::operators;
    const auto any_operator = [&]() -> const graft::schema::Operator& {
      return operators[static_cast<std::size_t>(random_.integer(0, std::ssize(operators) - 1))];
    };
    if (field.name() == "op_type" && !one_in(4)) return std::string(any_operator().op_type());
    if (message.GetDescriptor()->name() == "AttributeProto" && field.name() == "name" && !one_in(4))
      if (const auto attributes = any_operator().attributes(); !attributes.empty())
        return std::string(attributes.front().name());
    if (!texts_.empty() && !one_in(6)) return pick(texts_);
    return one_in(2) ? "" : pick(std::vector<std::string>{"x", "com.microsoft", "ai.onnx", "N", std::string(1, '\0')});
  }

  /// Raw data of tensors mostly keeps its length.
  std::string bytes(std::string old) {
    if (old.empty() || one_in(8)) old.resize(static_cast<std::size_t>(random_.integer(0, 64)), '\1');
    for (char& byte : old)
      if (one_in(std::ssize(old))) byte = static_cast<char>(random_());
    return old;
  }

  void set(Message& message, const Field& field) {
    const auto& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case Field::CPPTYPE_INT32: return reflection.SetInt32(&message, &field, static_cast<std::int32_t>(number()));
      case Field::CPPTYPE_INT64: return reflection.SetInt64(&message, &field, number());
      case Field::CPPTYPE_FLOAT: return reflection.SetFloat(&message, &field, real());
      case Field::CPPTYPE_ENUM: return reflection.SetEnumValue(&message, &field, kind(field));
      case Field::CPPTYPE_STRING:
        return reflection.SetString(&message, &field,
                                    field.type() == Field::TYPE_BYTES ? bytes(reflection.GetString(message, &field))
                                                                      : text(message, field));
      case Field::CPPTYPE_MESSAGE: reflection.MutableMessage(&message, &field); return;
      default: return;
    }
  }

  int kind(const Field& field) {
    const auto& kinds = *field.enum_type();
    return kinds.value(static_cast<int>(random_.integer(0, kinds.value_count() - 1)))->number();
  }

  /// A field that is not there, or one more element of a list.
  void add() {
    Message& message = *pick(messages_);
    const auto& descriptor = *message.GetDescriptor();
    if (descriptor.field_count() == 0) return;
    const Field& field = *descriptor.field(static_cast<int>(random_.integer(0, descriptor.field_count() - 1)));
    if (!field.is_repeated()) return set(message, field);
    add_element(message, field);
  }

  void add_element(Message& message, const Field& field) {
    const auto& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case Field::CPPTYPE_INT32: return reflection.AddInt32(&message, &field, static_cast<std::int32_t>(number()));
      case Field::CPPTYPE_INT64: return reflection.AddInt64(&message, &field, number());
      case Field::CPPTYPE_UINT64: return reflection.AddUInt64(&message, &field, static_cast<std::uint64_t>(number()));
      case Field::CPPTYPE_FLOAT: return reflection.AddFloat(&message, &field, real());
      case Field::CPPTYPE_DOUBLE: return reflection.AddDouble(&message, &field, static_cast<double>(real()));
      case Field::CPPTYPE_STRING: return reflection.AddString(&message, &field, text(message, field));
      case Field::CPPTYPE_MESSAGE: {
        std::vector<const Message*> alike;
        for (const Message* const other : messages_)
          if (other->GetDescriptor() == field.message_type() && other != &message) alike.push_back(other);
        if (alike.empty()) {
          reflection.AddMessage(&message, &field);
          return;
        }
        const Message& model = *pick(alike);
        if (model.ByteSizeLong() > 4096) return;
        const std::string copy = model.SerializePartialAsString();  // the message may lie in what is copied
        reflection.AddMessage(&message, &field)->ParsePartialFromString(copy);
        return;
      }
      default: return;
    }
  }

  void change_list(Message& message, const Field& field) {
    const auto& reflection = *message.GetReflection();
    const int last = reflection.FieldSize(message, &field) - 1;
    const auto any = [&] { return static_cast<int>(random_.integer(0, last)); };
    switch (random_.integer(0, 5)) {
      case 0: return add_element(message, field);
      case 1:
        reflection.SwapElements(&message, &field, any(), last);
        return reflection.RemoveLast(&message, &field);
      case 2: return reflection.SwapElements(&message, &field, any(), any());
      default: break;
    }
    switch (field.cpp_type()) {
      case Field::CPPTYPE_INT32:
        return reflection.SetRepeatedInt32(&message, &field, any(), static_cast<std::int32_t>(number()));
      case Field::CPPTYPE_INT64: return reflection.SetRepeatedInt64(&message, &field, any(), number());
      case Field::CPPTYPE_FLOAT: return reflection.SetRepeatedFloat(&message, &field, any(), real());
      case Field::CPPTYPE_STRING:
        return reflection.SetRepeatedString(&message, &field, any(), text(message, field));
      default: return;
    }
  }

  graft::Random& random_;
  std::vector<Message*> messages_;
  std::vector<Place> places_;  // the fields that are there
  std::vector<std::string> texts_;
  std::vector<std::int64_t> numbers_;
};

/// As LLVMFuzzerCustomMutator, of bytes that hold a message of this type.
template <class Message>
std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  graft::Random random(seed);
  Message message;
  const bool at_random = random.integer(1, 50) == 1;
  if (at_random || !message.ParsePartialFromArray(data, static_cast<int>(size)))
    return LLVMFuzzerMutate(data, size, max_size);
  for (std::int64_t left = random.integer(1, 4); left > 0; --left) Mutation(message, random).apply();
  if (message.ByteSizeLong() > max_size) return size;
  message.SerializePartialToArray(data, static_cast<int>(max_size));
  return message.ByteSizeLong();
}
