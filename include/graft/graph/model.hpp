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

#include <graft/graph/detail/journal.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/whole_file.hpp>

namespace graft::inline v1 {

/// What a file may ask for. The defaults are safe for files from anywhere.
struct LoadOptions {
  /// Follow external data locations that are absolute or lead out of the model's folder, by ".." or a symbolic link.
  bool allow_outside_folder = false;
  /// For a model with external data: weights that passes make go to a file without a name in this folder, instead of
  /// memory, which then holds no more than those in use. "." is the current folder; empty: memory holds them. proto()
  /// refers to that file, which nothing but the model reads; save() and serialize() write what it holds.
  std::string scratch_folder{};
  /// Larger files are refused. Protobuf reads no more than 2 GiB. External data does not count: it is read
  /// when it is asked for.
  std::size_t max_bytes = file_limit;
  /// Files whose messages would take more bytes in memory are refused: an empty node takes two bytes in the file, and
  /// over a hundred in memory. None: the machine's memory.
  std::optional<std::size_t> max_memory{};
  /// How deep bodies may lie in each other. Protobuf reads 33 levels.
  std::size_t max_nested = 33;
};

struct SaveOptions {
  /// Initializers of more than this many bytes go to "<file name>.data" beside the model, or to "<file name>.1.data" if
  /// there is a file of that name, and so on; none: only what external data needs.
  ///
  /// Files of such names that the model which is replaced kept its tensors in, and the new one does not, are removed: a
  /// copy of the model file alone loses its data. Tensors and clones of the model that is saved can still be read, but
  /// no model that was loaded apart from it.
  std::optional<std::size_t> external_data_over{};
  /// Protobuf writes no message over 2 GiB. Such a model moves its large initializers out on its own, or is refused.
  bool externalize_oversize = true;
};

/// A ModelProto and the DAG view of it. Edits live in the view until commit(); save() and serialize() commit.
class Model {
 public:
  /// Throws Error naming the file, and the node and field where one is at fault: unreadable, no model, beyond a limit
  /// of the options, a name defined twice or not at all, a cycle. Nodes in any order are sorted (see was_unsorted()).
  static Model load(const std::string& path, const LoadOptions& options = {});
  /// `folder`: where relative external data lies.
  explicit Model(onnx::ModelProto proto, const std::string& folder = {})
      : Model(std::make_unique<onnx::ModelProto>(std::move(proto)), folder, "", {}) {}
  /// Of a copy of another model's proto(), whose external data it finds wherever that one does.
  Model(onnx::ModelProto proto, const ExternalData& data);
  /// Over the caller's own proto, which stays as it is until commit(), and must outlive the view. Works on an arena.
  static Model view(onnx::ModelProto& proto, const std::string& folder = {}) { return Model(&proto, folder); }
  bool is_view() const { return store_->owned == nullptr; }

  Model(Model&& other) noexcept : store_(std::move(other.store_)) { store_->model = this; }
  Model& operator=(Model&& other) noexcept;

  /// A model of its own with all that this one holds, edits included. Commits, unless this is a view. External data
  /// stays in the files where it is, which both read. Throws Error inside an open Transaction.
  [[nodiscard]] Model clone();

  Graph& graph() const { return store_->graphs.front(); }
  /// The local functions, each a scope of its own.
  const std::vector<Graph*>& functions() const { return store_->functions; }
  /// The local function that nodes of this operator, "domain::Name", and this overload call; nullptr if there is none.
  Graph* find_function(std::string_view op, std::string_view overload = {}) const;
  /// Adds a local function, which must stand on its own. Throws Error if there is one of its domain, name and overload.
  Graph& add_function(onnx::FunctionProto function);
  /// Takes local functions away. Nothing may call them any more.
  void remove_functions(std::span<Graph* const> functions);
  void clear_functions() { remove_functions(std::vector(functions())); }
  /// Every scope: the main graph, the functions, and all bodies that are still in place.
  std::vector<Graph*> scopes() const;

  int ir_version() const { return store_->ir_version; }
  /// Below IR 4 every initializer is a constant, and is written as a graph input too. Where the version is raised to 4
  /// or more, initializers stop being inputs: callers could override them there.
  void set_ir_version(int version);
  /// The imported version of a domain; 0 if it is not imported. Of several the last counts, as in ONNX Runtime.
  int opset(std::string_view domain = "") const { return store_->version_of(domain); }
  /// Imports a domain, or changes the version that is imported.
  void set_opset(int version, std::string_view domain = "");
  /// Removes the import of a domain if no node uses it and there is no training_info. Returns whether it did.
  bool drop_unused_opset(std::string_view domain);
  void set_metadata(std::string_view key, std::string_view value);

  OpId op_id(std::string_view domain, std::string_view op_type) { return store_->ops.intern(domain, op_type); }
  OpId op_id(std::string_view qualified);
  /// The same without a change of the model: OpId::none if no node has ever been of that operator, and no local
  /// function defines it.
  OpId find_op(std::string_view domain, std::string_view op_type) const { return store_->ops.find(domain, op_type); }
  OpId find_op(std::string_view qualified) const;
  const OpName& op_name(OpId id) const { return store_->ops.name(id); }

  const std::string& file() const { return store_->file; }
  const ExternalData* external_data() const { return store_->external ? &*store_->external : nullptr; }
  /// The nodes were not in topological order when they were read.
  bool was_unsorted() const { return store_->reordered; }
  /// Grows with every edit: equal counts mean that nothing changed between.
  std::uint64_t edit_count() const { return store_->journal.edits(); }
  /// The edits that stand: those that were taken back do not count, nor does what only infers types.
  std::uint64_t change_count() const { return store_->journal.changes(); }
  /// Memory of the view itself, the proto aside.
  std::size_t view_bytes() const;

  /// The proto as of the last commit. What the view edits is seen there after the next.
  const onnx::ModelProto& proto() const { return *store_->proto; }
  /// Writes the view's edits into the proto. Throws Error inside an open Transaction.
  onnx::ModelProto& commit();
  /// Throws Error if it is over 2 GiB, or nests bodies deeper than protobuf reads (33 levels).
  std::string serialize();
  /// The model appears whole or not at all, with its external data, whatever happens meanwhile to the process: one that
  /// stood there is whole until then. External data that the model refers to comes along to another folder. Throws
  /// Error naming the file if it cannot be written, is over 2 GiB and must not be split, or nests bodies deeper than
  /// protobuf reads.
  void save(const std::string& path, const SaveOptions& options = {});

 private:
  friend struct detail::Store;
  Model(std::unique_ptr<onnx::ModelProto> owned, const std::string& folder, std::string file,
        const LoadOptions& options);
  Model(onnx::ModelProto* proto, const std::string& folder);
  void open(const std::string& folder, const LoadOptions& options);
  void check_nesting() const;
  std::vector<onnx::TensorProto*> stored_tensors() const;

  std::unique_ptr<detail::Store> store_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/detail/access.ipp>
#include <graft/graph/detail/annotations.ipp>
#include <graft/graph/detail/commit.ipp>
#include <graft/graph/detail/edit_contents.ipp>
#include <graft/graph/detail/edit_nodes.ipp>
#include <graft/graph/detail/edit_signature.ipp>
#include <graft/graph/detail/identity_sources.ipp>
#include <graft/graph/detail/journal.ipp>
#include <graft/graph/detail/model_clone.ipp>
#include <graft/graph/detail/model_members.ipp>
#include <graft/graph/detail/model_save.ipp>
#include <graft/graph/detail/name_table.ipp>
#include <graft/graph/detail/order.ipp>
#include <graft/graph/detail/read.ipp>
#include <graft/graph/detail/read_links.ipp>
#include <graft/graph/detail/store.ipp>
#include <graft/graph/detail/undo.ipp>
#include <graft/graph/graph.ipp>
#include <graft/graph/model.ipp>
#include <graft/graph/node.ipp>
#include <graft/graph/transaction.ipp>
#include <graft/graph/value.ipp>
#endif
