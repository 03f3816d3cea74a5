import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;

/**
 * Lucene's BM25 for the scale benchmark: {@code build DOCS INDEX} or {@code search INDEX}. Documents are lines of terms
 * between spaces. A search reads lines {@code k TAB term SPACE weight SPACE term …} and answers each with the
 * nanoseconds it took and {@code document:score} pairs.
 */
public final class LuceneDriver {
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("build")) {
      build(Path.of(arguments[1]), Path.of(arguments[2]));
    } else {
      search(Path.of(arguments[1]));
    }
  }

  private static void build(Path documents, Path index) throws Exception {
    FieldType type = new FieldType();
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    type.setTokenized(true);
    type.freeze();
    IndexWriterConfig config = new IndexWriterConfig(new WhitespaceAnalyzer());
    config.setSimilarity(new BM25Similarity(1.2f, 0.75f));
    config.setRAMBufferSizeMB(512);
    try (Directory directory = MMapDirectory.open(index);
        IndexWriter writer = new IndexWriter(directory, config);
        BufferedReader lines = Files.newBufferedReader(documents, StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Document document = new Document();
        document.add(new Field("body", line, type));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
  }

  private static void search(Path index) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (DirectoryReader reader = DirectoryReader.open(MMapDirectory.open(index))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setSimilarity(new BM25Similarity(1.2f, 0.75f));
      searcher.setQueryCache(null);
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] parts = line.split("\t");
        int k = Integer.parseInt(parts[0]);
        String[] terms = parts.length > 1 ? parts[1].split(" ") : new String[0];
        long start = System.nanoTime();
        BooleanQuery.Builder query = new BooleanQuery.Builder();
        for (int i = 0; i + 1 < terms.length; i += 2) {
          query.add(
              new BoostQuery(new TermQuery(new Term("body", terms[i])), Float.parseFloat(terms[i + 1])),
              BooleanClause.Occur.SHOULD);
        }
        ScoreDoc[] found = searcher.search(query.build(), k).scoreDocs;
        long nanos = System.nanoTime() - start;
        List<String> pairs = new ArrayList<>(found.length);
        for (ScoreDoc hit : found) {
          pairs.add(hit.doc + ":" + hit.score);
        }
        out.println(nanos + "\t" + String.join(" ", pairs));
        out.flush();
      }
    }
  }
}
