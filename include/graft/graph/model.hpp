#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/operators.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/whole_file.hpp>

namespace graft::inline v1 {

class ExternalData;

namespace detail {
struct BesideProto;
struct Store;
}  // namespace detail

/// Limits and options of loading. The defaults are safe for untrusted files.
struct LoadOptions {
  /// Follows external data locations that are absolute, or that leave the model's folder by ".." or a symbolic link.
  bool allow_outside_folder = false;
  /// Passes keep new weights of a model with external data in an unnamed file in this folder. Memory then holds only
  /// the weights in use. "." is the current folder; empty: memory holds all weights. proto() refers to that file, which
  /// only the model reads; save() and serialize() write its contents.
  std::string scratch_folder{};
  /// load() throws Error for larger files. Protobuf reads at most 2 GiB. External data does not count: it is read on
  /// demand.
  std::size_t max_bytes = file_limit;
  /// load() throws Error for files whose parsed messages would take more memory. An empty node takes two bytes in the
  /// file and over a hundred in memory. Default: the machine's memory.
  std::optional<std::size_t> max_memory{};
  /// The greatest nesting depth of bodies. Protobuf reads 33 levels.
  std::size_t max_nested = 33;
};

struct SaveOptions {
  /// Initializers of more bytes than this go to "<file name>.data" beside the model, or to "<file name>.1.data" and so
  /// on if that name is taken. Default: only tensors that are external already.
  ///
  /// If the model replaces another one, saving removes the data files of these names that only the old model used. So a
  /// copy of the model file alone loses its data. The saved model's tensors and clones stay readable; a model that was
  /// loaded separately does not.
  std::optional<std::size_t> external_data_over{};
  /// Protobuf writes no message over 2 GiB. If true, such a model moves its large initializers out, else save() throws
  /// Error.
  bool externalize_oversize = true;
};

/// A ModelProto and its DAG view. Edits live in the view until commit(); save() and serialize() commit.
class Model {
 public:
  /// Loads a model file. Throws Error with the file, node and field if the file cannot be read or parsed, or exceeds a
  /// limit of the options. It also throws for names that are defined twice or not at all, and for cycles. Nodes in any
  /// order are sorted (see was_unsorted()).
  static Model load(const std::string& path, const LoadOptions& options = {});
  /// `folder`: the base of relative external data locations.
  explicit Model(onnx::ModelProto proto, const std::string& folder = {});
  /// Takes a copy of another model's proto(), and finds external data where that model does.
  Model(onnx::ModelProto proto, const ExternalData& data);
  /// As above. The new model also takes the custom operators of `origin`.
  Model(onnx::ModelProto proto, const Model& origin);
  /// Makes a view of the caller's proto, which must outlive it and does not change until commit(). It may be on an
  /// arena.
  static Model view(onnx::ModelProto& proto, const std::string& folder = {});
  bool is_view() const;

  Model(Model&& other) noexcept;
  ~Model();
  Model& operator=(Model&& other) noexcept;

  /// An independent copy of this model with all edits. Commits, unless this is a view. Both models read external data
  /// from the same files. Throws Error inside an open Transaction.
  [[nodiscard]] Model clone();

  Graph& graph() const;
  /// The local functions; each is a scope.
  const std::vector<Graph*>& functions() const;
  /// The local function of an operator "domain::Name" and an overload; nullptr if there is none.
  Graph* find_function(std::string_view op, std::string_view overload = {}) const;
  /// Adds a self-contained local function. Throws Error if its domain, name and overload are taken.
  Graph& add_function(onnx::FunctionProto function);
  /// Removes local functions. Nothing may call them.
  void remove_functions(std::span<Graph* const> functions);
  void clear_functions() { remove_functions(std::vector(functions())); }
  /// Every scope: the main graph, the functions, and all reachable bodies.
  std::vector<Graph*> scopes() const;

  int ir_version() const;
  /// Sets the IR version. Below 4 every initializer is constant, and is also written as a graph input. Raising the
  /// version to 4 or more removes these inputs, because callers could override them there.
  void set_ir_version(int version);
  /// The imported version of a domain; 0 if it is not imported. The last import counts, as in ONNX Runtime.
  int opset(std::string_view domain = "") const;
  /// Imports a domain, or changes its imported version.
  void set_opset(int version, std::string_view domain = "");
  /// Removes the import of a domain if no node uses it and there is no training_info. Returns whether it was removed.
  bool drop_unused_opset(std::string_view domain);
  void set_metadata(std::string_view key, std::string_view value);

  OpId op_id(std::string_view domain, std::string_view op_type);
  OpId op_id(std::string_view qualified);
  /// Looks an operator up without interning it. OpId::none if no node ever had that operator and no local function
  /// defines it.
  OpId find_op(std::string_view domain, std::string_view op_type) const;
  OpId find_op(std::string_view qualified) const;
  const OpName& op_name(OpId id) const;

  /// Custom operators for this model and its clones. The file does not store them.
  void add_operators(const Operators& operators);
  const Operators& operators() const;
  /// The schema of an operator at a version of its domain; nullptr if it is unknown or newer.
  const schema::Operator* find_schema(std::string_view domain, std::string_view op_type, int version) const;

  const std::string& file() const;
  const ExternalData* external_data() const;
  /// Whether the nodes were out of topological order when they were read.
  bool was_unsorted() const;
  /// Grows with every edit: equal counts mean that nothing changed in between.
  std::uint64_t edit_count() const;
  /// The number of edits in effect. Edits that were undone and type inference do not count.
  std::uint64_t change_count() const;
  /// Memory of the view, without the proto.
  std::size_t view_bytes() const;

  /// The proto as of the last commit. It shows later edits after the next commit.
  const onnx::ModelProto& proto() const;
  /// Writes the view's edits into the proto. Throws Error inside an open Transaction.
  onnx::ModelProto& commit();
  /// Drops the edits since the last commit: builds the view of proto() again. References into it become invalid. Throws
  /// Error inside an open Transaction.
  void revert();
  /// Throws Error if the model is over 2 GiB, or nests bodies deeper than protobuf reads (33 levels).
  std::string serialize();
  /// Saves the model and its external data as a whole, even if the process is killed: until the end the old model stays
  /// intact. In another folder, the external data is copied along. Throws Error naming the file if it cannot be
  /// written, or nests bodies deeper than protobuf reads. It also throws for a model over 2 GiB that must not be split.
  void save(const std::string& path, const SaveOptions& options = {});

 private:
  friend struct detail::Store;
  Model(std::unique_ptr<onnx::ModelProto> owned, detail::BesideProto&& beside);
  Model(onnx::ModelProto* proto, detail::BesideProto&& beside);
  void open();
  void check_nesting() const;
  std::vector<onnx::TensorProto*> stored_tensors() const;

  std::unique_ptr<detail::Store> store_;
};

}  // namespace graft::inline v1
