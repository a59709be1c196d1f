#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/dims.hpp>
#include <graft/graph/parse_double.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/testing/detail/lexer.hpp>
#include <graft/testing/random.hpp>

namespace graft::inline v1::detail {

/// The doc string of a tensor whose contents do not matter in comparisons of graphs: _ in the text.
inline constexpr char any_contents_mark[] = "graft: any contents";
inline bool has_any_contents(const onnx::TensorProto& tensor) { return tensor.doc_string() == any_contents_mark; }

/// A number as it was written: 1 is an integer, 1.0 and 1e3 are not.
struct Numeral {
  double value = 0;
  std::int64_t integer = 0;
  bool whole = false;
};

/// Reads text without names: punctuation, numbers, types, contents of tensors.
class TokenReader {
 public:
  explicit TokenReader(std::string_view whole) : whole_(whole), tokens_(Lexer(whole).tokens()) {}

  const std::vector<Token>& tokens() const { return tokens_; }
  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
  const Token& take() {
    const Token& token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return token;
  }
  bool at_end() const { return peek().kind == Token::Kind::end; }

  Error error(const Token& at, const std::string& message) const { return text_error(whole_, at.at, message); }
  Error unexpected(std::string_view wanted) const {
    const std::string found = at_end() ? "the end" : "'" + peek().text + "'";
    return error(peek(), "expected " + std::string(wanted) + ", found " + found);
  }

  bool accept(std::string_view mark) {
    if (!peek().is(mark)) return false;
    take();
    return true;
  }
  void expect(std::string_view mark) {
    if (!accept(mark)) throw unexpected("'" + std::string(mark) + "'");
  }
  /// Calls f() for each element of a list, up to the closing mark.
  template <class F>
  void list(std::string_view closing, F&& f) {
    if (accept(closing)) return;
    do {
      f();
    } while (accept(","));
    expect(closing);
  }

  std::optional<Numeral> try_number() {
    const Token& token = peek();
    Numeral number;
    if (token.is_word("inf") || token.is_word("nan") || token.is_word("true") || token.is_word("false")) {
      number.whole = token.text == "true" || token.text == "false";
      number.integer = token.text == "true" ? 1 : 0;
      number.value = token.text == "inf"   ? std::numeric_limits<double>::infinity()
                     : token.text == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                           : static_cast<double>(number.integer);
    } else if (token.kind == Token::Kind::number) {
      number = parse(token);
    } else {
      return std::nullopt;
    }
    take();
    return number;
  }
  Numeral number() {
    if (const std::optional<Numeral> found = try_number()) return *found;
    throw unexpected("a number");
  }
  std::int64_t integer() {
    const Token& at = peek();
    const Numeral found = number();
    if (!found.whole) throw error(at, "expected an integer, found '" + at.text + "'");
    return found.integer;
  }

  /// Whether a dtype follows, in the spelling of DType.
  bool at_dtype() const { return peek().kind == Token::Kind::word && dtype_named(peek().text) != DType::undefined; }
  DType dtype() {
    if (!at_dtype()) throw unexpected("a dtype such as f32");
    return dtype_named(take().text);
  }

  /// f32[2,N,?]   f32   sequence(f32[2])   optional(f32)
  onnx::TypeProto type() {
    const bool sequence = peek().is_word("sequence");
    if (sequence || peek().is_word("optional")) {
      const Depth deeper(*this);
      take();
      expect("(");
      onnx::TypeProto proto;
      *(sequence ? proto.mutable_sequence_type()->mutable_elem_type()
                 : proto.mutable_optional_type()->mutable_elem_type()) = type();
      expect(")");
      return proto;
    }
    onnx::TypeProto proto = tensor_type(dtype());
    if (!accept("[")) return proto;
    onnx::TensorShapeProto& shape = *proto.mutable_tensor_type()->mutable_shape();
    list("]", [&] {
      onnx::TensorShapeProto::Dimension& dim = *shape.add_dim();
      if (accept("?")) return;
      if (peek().kind == Token::Kind::word || peek().kind == Token::Kind::text) {
        dim.set_dim_param(take().text);
      } else {
        dim.set_dim_value(integer());
      }
    });
    return proto;
  }

  /// Reads a type of known dims, and contents. `name` is the seed of random contents.
  onnx::TensorProto tensor(std::string_view name) {
    const Token& at = peek();
    const onnx::TypeProto declared = type();
    const Shape shape(declared);
    const std::optional<Dims> dims = shape.dims();
    if (!dims) throw error(at, "a tensor needs a dtype and dims that are numbers, as f32[2,3]");
    return contents(elem_type(declared), *dims, name);
  }

  /// {1, 2, 3}   random   random(0.5, 2)   random(0.5, 2, 7), with a seed   0, every element   _, any contents
  onnx::TensorProto contents(DType dtype, const Dims& dims, std::string_view name) {
    onnx::TensorProto proto;
    const Token& at = peek();
    try {
      if (peek().is_word("_")) {
        take();
        write_any(dtype, dims, name, proto);
      } else if (dtype == DType::string) {
        write_strings(dims, proto);
      } else {
        write_tensor(peek().is_word("random") ? random(dtype, dims, name) : numbers(dtype, dims), proto);
      }
    } catch (const Error& failure) {
      if (failure.message().starts_with("line ")) throw;
      throw error(at, failure.message());
    }
    return proto;
  }

 protected:
  /// Limits recursion: exists while a nested level is read.
  class Depth {
   public:
    explicit Depth(TokenReader& reader) : reader_(&reader) {
      if (reader_->depth_ == most)
        throw reader_->error(reader_->peek(), "nested more than " + std::to_string(most) + " deep");
      ++reader_->depth_;
    }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    ~Depth() { --reader_->depth_; }

   private:
    static constexpr int most = 100;
    TokenReader* reader_;
  };

 private:
  Numeral parse(const Token& token) const {
    Numeral number;
    const char* const begin = token.text.data() + (token.text[0] == '+' ? 1 : 0);
    const char* const end = token.text.data() + token.text.size();
    const auto whole = std::from_chars(begin, end, number.integer);
    number.whole = whole.ptr == end && whole.ec == std::errc();
    number.value = static_cast<double>(number.integer);
    if (number.whole) return number;
    if (!parse_double({begin, end}, number.value))
      throw error(token, "'" + token.text + "' is not a number within the range of double");
    return number;
  }

  /// An integer within the range of the dtype.
  void check(const Token& at, const Numeral& number, DType dtype) const {
    if (!is_integer(dtype) && dtype != DType::boolean) return;
    const bool fits = dtype == DType::boolean ? number.integer == 0 || number.integer == 1
                      : dtype == DType::u64   ? number.integer >= 0
                                              : number.integer >= lowest(dtype) && number.integer <= highest(dtype);
    if (!number.whole || !fits) throw error(at, "'" + at.text + "' is not a value of " + std::string(to_string(dtype)));
  }

  Tensor numbers(DType dtype, const Dims& dims) {
    std::vector<std::int64_t> integers;
    std::vector<double> values;
    const auto element = [&] {
      const Token& at = peek();
      const Numeral found = number();
      check(at, found, dtype);
      integers.push_back(found.integer);
      values.push_back(found.value);
    };
    if (accept("{")) {
      list("}", element);
    } else {
      element();
      const auto count = static_cast<std::size_t>(element_count(dims));
      integers.resize(count, integers[0]);
      values.resize(count, values[0]);
    }
    // Some int64 are not a double.
    return is_integer(dtype) ? Tensor::of(dtype, dims, integers) : Tensor::of(dtype, dims, values);
  }

  Tensor random(DType dtype, const Dims& dims, std::string_view name) {
    take();
    Random source(name);
    Interval range = usual_interval(dtype);
    if (accept("(")) {
      range.low = number().value;
      expect(",");
      range.high = number().value;
      if (accept(",")) source = Random(static_cast<std::uint64_t>(integer()));
      expect(")");
    }
    return random_tensor(dtype, dims, source, range);
  }

  /// Random contents, and the mark for contents that do not matter.
  static void write_any(DType dtype, const Dims& dims, std::string_view name, onnx::TensorProto& proto) {
    if (dtype == DType::string) {
      proto.set_data_type(onnx::TensorProto::STRING);
      proto.mutable_dims()->Add(dims.begin(), dims.end());
      for (std::int64_t i = 0; i < element_count(dims); ++i) proto.add_string_data();
    } else {
      Random source(name);
      write_tensor(random_tensor(dtype, dims, source, usual_interval(dtype)), proto);
    }
    proto.set_doc_string(any_contents_mark);
  }

  void write_strings(const Dims& dims, onnx::TensorProto& proto) {
    proto.set_data_type(onnx::TensorProto::STRING);
    proto.mutable_dims()->Add(dims.begin(), dims.end());
    const Token& at = peek();
    const auto element = [&] {
      if (peek().kind != Token::Kind::text) throw unexpected("a string");
      proto.add_string_data(take().text);
    };
    const std::int64_t count = element_count(dims);
    if (accept("{")) {
      list("}", element);
    } else {
      element();
      while (proto.string_data_size() < count) proto.add_string_data(proto.string_data(0));
    }
    if (proto.string_data_size() != count) {
      throw error(at, to_string(DType::string, dims) + ": expected " + std::to_string(count) + " strings");
    }
  }

  std::string_view whole_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace graft::inline v1::detail
