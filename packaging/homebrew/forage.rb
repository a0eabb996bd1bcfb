# A formula for Homebrew. It has not been run: no machine with Homebrew was at hand. `url` and
# `sha256` are those of a release.
class Forage < Formula
  desc "Build text corpora from the web"
  homepage "https://example.org/forage"
  url "https://example.org/forage/archive/v0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "python@3.13" => :build
  depends_on "rust" => :build
  # macOS has bash 3.2; the pipelines need 4.4.
  depends_on "bash"

  def install
    system "make", "install", "PREFIX=#{prefix}"
  end

  test do
    assert_match "eng", pipe_output("#{bin}/langid --lines", "The train was late again this morning.\n")
  end
end
