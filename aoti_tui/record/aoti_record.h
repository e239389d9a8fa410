// Recording of AOTInductor calls in a C++ program, for `aoti-tui record ./server` (see `aoti-tui
// help cpp`). One header, torch alone. It writes the ring that layout.py describes; without
// AOTI_TUI_RECORD_FOLDER in the environment it does nothing but call the model.
//
// Compile with -DAOTI_RECORD_CPU where torch has no CUDA. Recording never changes a result: what goes
// wrong in it is said once on stderr, and the program runs on. C++17, torch 2.6 and later.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <torch/torch.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#ifndef AOTI_RECORD_CPU
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#endif

namespace aoti_record {

namespace detail {

constexpr uint32_t kEntries = 2048;
constexpr uint64_t kNotes = 8u << 20, kStamps = 4096, kStride = 64, kAlignment = 256;
constexpr uint64_t kBegunAt = 64, kFailedAt = 72, kStateAt = 80;
constexpr uint64_t kMarks = 1 << 16, kSmall = 1 << 20, kMostInNote = 1 << 18;

inline uint64_t up(uint64_t place) { return (place + 4095) / 4096 * 4096; }
inline uint64_t mark(uint64_t number) { return (number - 1) % kMarks + 1; }

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 32) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\u%04x", c);
      out += hex;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

inline std::string listed(c10::IntArrayRef numbers) {
  std::string out = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    out += (i ? "," : "") + std::to_string(numbers[i]);
  return out + "]";
}

inline const char* dtype_name(at::ScalarType type) {
  switch (type) {
    case at::kFloat: return "float32";
    case at::kDouble: return "float64";
    case at::kHalf: return "float16";
    case at::kBFloat16: return "bfloat16";
    case at::kLong: return "int64";
    case at::kInt: return "int32";
    case at::kShort: return "int16";
    case at::kChar: return "int8";
    case at::kByte: return "uint8";
    case at::kBool: return "bool";
    case at::kComplexFloat: return "complex64";
    case at::kComplexDouble: return "complex128";
    case at::kFloat8_e4m3fn: return "float8_e4m3fn";
    case at::kFloat8_e5m2: return "float8_e5m2";
    default: return nullptr;
  }
}

}  // namespace detail

// One process's ring.
class Recorder {
 public:
  static Recorder& get() {
    static Recorder one;
    return one;
  }

  bool on() const { return memory_ != nullptr && !stopped_; }

  uint32_t site(const std::string& name, const std::string& path) {
    if (!memory_) return 0;
    std::lock_guard<std::mutex> lock(mutex_);
    uint32_t number = ++sites_;
    write("site-" + std::to_string(number) + ".json", "{\"kind\": \"aoti\", \"name\": " +
          detail::quoted(name) + ", \"path\": " + detail::quoted(path) + "}");
    return number;
  }

  // Records what a call is given; its number, or 0 when it was not recorded.
  uint64_t begin(uint32_t site, const std::vector<at::Tensor>& inputs) noexcept {
    if (!on()) return 0;
    try {
      std::lock_guard<std::mutex> lock(mutex_);
      return record(site, inputs);
    } catch (const std::exception& error) {
      stop(error.what());
      return 0;
    }
  }

  void end(uint64_t number) noexcept {
    if (number) set_state(number, 1);
  }

  void failed(uint64_t number, const char* words) noexcept {
    if (!number || !memory_) return;
    set_state(number, 2);
    put64(detail::kFailedAt, number);
    std::string text(words);
    try {
      write("failed.json", "{\"call\": " + std::to_string(number) + ", \"error\": " +
            detail::quoted(text.substr(0, 4000)) + "}");
    } catch (...) {
    }
    if (text.find("CUDA") != std::string::npos) stop_quietly();
  }

 private:
  Recorder() {
    const char* folder = std::getenv("AOTI_TUI_RECORD_FOLDER");
    if (!folder || !*folder) return;
    try {
      open(folder);
    } catch (const std::exception& error) {
      memory_ = nullptr;
      std::fprintf(stderr, "aoti-tui record: nothing is recorded, the program runs on: %s\n",
                   error.what());
    }
  }

  ~Recorder() {
    if (memory_ && !stopped_) put32(detail::kStateAt, 1);
  }

  void open(const std::string& below) {
    const char* calls = std::getenv("AOTI_TUI_RECORD_CALLS");
    const char* ring = std::getenv("AOTI_TUI_RECORD_RING");
    const char* data = std::getenv("AOTI_TUI_RECORD_DATA");
    slots_ = calls ? std::max(1, std::atoi(calls)) : 8;
    uint64_t total = ring ? std::strtoull(ring, nullptr, 10) : 64u << 20;
    data_ = data ? data : "small";
    folder_ = below + "/process-" + std::to_string(getpid());
    ::mkdir(below.c_str(), 0700);
    ::mkdir(folder_.c_str(), 0700);
    slot_bytes_ = std::max<uint64_t>(total / slots_ / 4096 * 4096, 4096);
    entries_at_ = detail::up(detail::kStamps + slots_ * detail::kStride);
    notes_at_ = detail::up(entries_at_ + detail::kEntries * 64);
    slots_at_ = detail::up(notes_at_ + detail::kNotes);
    size_ = slots_at_ + slots_ * slot_bytes_;
    int file = ::open((folder_ + "/ring").c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) throw std::runtime_error("the ring cannot be made in " + folder_);
    int full = ::posix_fallocate(file, 0, size_);
    void* at = full ? MAP_FAILED
                    : ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (at == MAP_FAILED) {
      ::unlink((folder_ + "/ring").c_str());
      throw std::runtime_error("there is no room for the ring in " + folder_);
    }
    memory_ = static_cast<char*>(at);
    next_note_ = notes_at_;
    std::memcpy(memory_, "AOTIRING", 8);
    put32(8, 1);
    put32(12, slots_);
    put64(16, slot_bytes_);
    put32(24, detail::kEntries);
    put64(32, entries_at_);
    put64(40, notes_at_);
    put64(48, detail::kNotes);
    put64(56, slots_at_);
    busy_.assign(slots_, 0);
    streams_.assign(slots_, nullptr);
    const char* rank = std::getenv("RANK");
    write("process.json", "{\"pid\": " + std::to_string(getpid()) + ", \"program\": \"C++\", " +
          "\"rank\": " + (rank ? detail::quoted(rank) : "null") + ", \"versions\": {\"torch\": " +
          detail::quoted(TORCH_VERSION) + "}}");
  }

  struct Copy {
    const void* from;
    uint64_t at, size;
    bool host;
  };

  uint64_t record(uint32_t site, const std::vector<at::Tensor>& inputs) {
    int device = -1;
    for (const auto& one : inputs)
      if (one.defined() && one.is_cuda() && device < 0) device = one.get_device();
    std::string note = "{\"a\":[", tail;
    std::vector<Copy> copies;
    uint64_t used = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      note += (i ? "," : "") + described(inputs[i], device, copies, used, tail);
    }
    note += "],\"n\":[]}";
    if (!tail.empty()) note += std::string(1, '\0') + tail;
    void* stream = nullptr;
#ifndef AOTI_RECORD_CPU
    if (device >= 0) {
      auto current = c10::cuda::getCurrentCUDAStream(device);
      cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
      if (cudaStreamIsCapturing(current.stream(), &capturing) != cudaSuccess) return 0;
      if (capturing != cudaStreamCaptureStatusNone) return 0;
      stream = current.stream();
      prepare(device);
    }
#endif
    int32_t slot = used ? free_slot(stream, device >= 0) : -1;
    uint64_t number = entered(note, site, slot, stream);
    if (slot < 0) return number;
    uint64_t stamp_at = detail::kStamps + slot * detail::kStride;
    stamp(stamp_at, number, device, stream);
    if (device >= 0) {
      busy_[slot] = number;
      streams_[slot] = stream;
    }
    for (const auto& one : copies) {
      char* to = memory_ + slots_at_ + slot * slot_bytes_ + one.at;
      if (one.host) {
        std::memcpy(to, one.from, one.size);
      } else {
        copied(to, one.from, one.size, stream);
      }
    }
    stamp(stamp_at + 8, number, device, stream);
    return number;
  }

  std::string described(const at::Tensor& one, int device, std::vector<Copy>& copies,
                        uint64_t& used, std::string& tail) {
    if (!one.defined() || one.layout() != at::kStrided || !detail::dtype_name(one.scalar_type()))
      return "[\"uint8\",[0],[1],\"cpu\",-1,0,\"a tensor of a kind that is not recorded\"]";
    uint64_t reach = 1;
    bool empty = one.numel() == 0;
    for (int64_t i = 0; i < one.dim(); ++i)
      if (!empty) reach += (one.size(i) - 1) * one.stride(i);
    uint64_t size = empty ? 0 : reach * one.element_size();
    bool floats = at::isFloatingType(one.scalar_type()) || at::isComplexType(one.scalar_type());
    std::string why;
    int64_t where = -1;
    if (one.is_cuda() && one.get_device() != device) {
      why = "on another device";
    } else if (!one.is_cuda() && !one.is_cpu()) {
      why = "on another kind of device";
    } else if (size && floats && data_ == "none") {
      why = "floats (--data)";
    } else if (size && floats && data_ == "small" && size > detail::kSmall) {
      why = "floats of more than 1 MiB (--data all)";
    } else if (!size) {
      where = -3;
    } else if (one.is_cpu() && device >= 0) {
      if (size > detail::kMostInNote) {
        why = "on the host, and too large for its note";
      } else {
        where = -2;
        tail.append(static_cast<const char*>(one.const_data_ptr()), size);
      }
    } else if (used + size > slot_bytes_) {
      why = std::to_string(size) + " bytes do not fit into the ring (--ring)";
    } else {
      where = used;
      copies.push_back({one.const_data_ptr(), used, size, one.is_cpu()});
      used += (size + detail::kAlignment - 1) / detail::kAlignment * detail::kAlignment;
    }
    std::ostringstream out;
    out << "[\"" << detail::dtype_name(one.scalar_type()) << "\"," << detail::listed(one.sizes())
        << "," << detail::listed(one.strides()) << ",\"" << one.device().str() << "\"," << where
        << "," << size << ",\"" << why << "\"]";
    return out.str();
  }

  uint64_t entered(const std::string& note, uint32_t site, int32_t slot, void* stream) {
    uint64_t number = begun_ + 1, length = note.size() + 8, place = next_note_;
    if (place + length > notes_at_ + detail::kNotes) place = notes_at_;
    if (length > detail::kNotes) throw std::runtime_error("a call's note is too long");
    put64(place, number);
    std::memcpy(memory_ + place + 8, note.data(), note.size());
    next_note_ = place + (length + 7) / 8 * 8;
    uint64_t at = entry_at(number);
    put64(at, number);
    put64(at + 8, place);
    put32(at + 16, static_cast<uint32_t>(note.size()));
    put32(at + 20, site);
    put32(at + 24, static_cast<uint32_t>(slot));
    put32(at + 28, 0);
    put64(at + 32, reinterpret_cast<uint64_t>(stream));
    put64(at + 40, std::hash<std::thread::id>()(std::this_thread::get_id()));
    double now = std::chrono::duration<double>(
                     std::chrono::system_clock::now().time_since_epoch()).count();
    std::memcpy(memory_ + at + 48, &now, 8);
    begun_ = number;
    put64(detail::kBegunAt, begun_);
    return number;
  }

  int32_t free_slot(void* stream, bool on_device) {
    for (uint32_t tried = 0; tried < slots_; ++tried) {
      slot_ = (slot_ + 1) % slots_;
      uint64_t number = busy_[slot_], ended = 0;
      if (!number || (on_device && streams_[slot_] == stream)) return slot_;
      std::memcpy(&ended, memory_ + detail::kStamps + slot_ * detail::kStride + 8, 8);
      if (ended == detail::mark(number)) {
        busy_[slot_] = 0;
        return slot_;
      }
    }
    return -1;
  }

  void stamp(uint64_t at, uint64_t number, int device, void* stream) {
    if (device < 0) {
      put64(at, detail::mark(number));
      return;
    }
#ifndef AOTI_RECORD_CPU
    auto* marks = marks_[device].data_ptr<int64_t>();
    copied(memory_ + at, marks + detail::mark(number) - 1, 8, stream);
#endif
  }

  void copied(void* to, const void* from, uint64_t size, void* stream) {
#ifndef AOTI_RECORD_CPU
    auto failed = cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost,
                                  static_cast<cudaStream_t>(stream));
    if (failed != cudaSuccess) throw std::runtime_error(cudaGetErrorString(failed));
#endif
  }

#ifndef AOTI_RECORD_CPU
  void prepare(int device) {
    if (marks_.count(device)) return;
    if (marks_.empty() && cudaHostRegister(memory_, size_, cudaHostRegisterPortable) != cudaSuccess) {
      (void)cudaGetLastError();
      std::fprintf(stderr, "aoti-tui record: the ring could not be pinned: copies are slower\n");
    }
    auto marks = at::arange(1, static_cast<int64_t>(detail::kMarks) + 1, at::kLong);
    marks_[device] = marks.to(at::Device(at::kCUDA, device));
    cudaStreamSynchronize(c10::cuda::getCurrentCUDAStream(device).stream());
  }
#endif

  void set_state(uint64_t number, uint32_t state) noexcept {
    uint64_t held = 0;
    std::memcpy(&held, memory_ + entry_at(number), 8);
    if (held == number) put32(entry_at(number) + 28, state);
  }

  void stop(const char* words) noexcept {
    if (!stopped_)
      std::fprintf(stderr, "aoti-tui record: recording stopped, the program runs on: %s\n", words);
    stop_quietly();
  }

  void stop_quietly() noexcept {
    stopped_ = true;
    put32(detail::kStateAt, 3);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }

  uint64_t entry_at(uint64_t number) const {
    return entries_at_ + number % detail::kEntries * 64;
  }
  void put32(uint64_t at, uint32_t value) noexcept { std::memcpy(memory_ + at, &value, 4); }
  void put64(uint64_t at, uint64_t value) noexcept { std::memcpy(memory_ + at, &value, 8); }

  std::mutex mutex_;
  std::string folder_, data_;
  char* memory_ = nullptr;
  bool stopped_ = false;
  uint32_t slots_ = 0, slot_ = 0, sites_ = 0;
  uint64_t slot_bytes_ = 0, entries_at_ = 0, notes_at_ = 0, slots_at_ = 0, size_ = 0;
  uint64_t next_note_ = 0, begun_ = 0;
  std::vector<uint64_t> busy_;
  std::vector<void*> streams_;
  std::map<int, at::Tensor> marks_;
};

// A package's loader whose calls are recorded: use it where the loader was used.
class Recorded {
 public:
  Recorded(torch::inductor::AOTIModelPackageLoader& loader, const std::string& path,
           const std::string& name = "model")
      : loader_(loader), site_(Recorder::get().site(name, path)) {}

  template <typename... More>
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs, More&&... more) {
    return recorded(inputs, [&] { return loader_.run(inputs, std::forward<More>(more)...); });
  }

  // Any other way to call a model with these inputs, such as the container's C API.
  template <typename Call>
  auto recorded(const std::vector<at::Tensor>& inputs, Call call) -> decltype(call()) {
    uint64_t number = Recorder::get().begin(site_, inputs);
    try {
      auto outputs = call();
      Recorder::get().end(number);
      return outputs;
    } catch (const std::exception& error) {
      Recorder::get().failed(number, error.what());
      throw;
    }
  }

 private:
  torch::inductor::AOTIModelPackageLoader& loader_;
  uint32_t site_;
};

}  // namespace aoti_record
