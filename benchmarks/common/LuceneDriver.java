import io.anserini.analysis.DefaultEnglishAnalyzer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
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
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;

/**
 * Lucene's BM25 for the benchmarks: {@code build DOCS INDEX} or {@code search INDEX}. Documents are lines of terms
 * between spaces. A search reads lines {@code k TAB term SPACE weight SPACE term …} and answers each with the
 * nanoseconds it took and {@code document:score} pairs.
 *
 * <p>With {@code text} as the last argument, documents are lines of plain text, queries {@code k TAB text}, and both are
 * analysed as Anserini does by default, with its parameters of BM25; analysis counts in the time of a search.
 *
 * <p>{@code analyse text} reads lines of plain text and writes their terms, each followed by its number of occurrences.
 */
public final class LuceneDriver {
  public static void main(String[] arguments) throws Exception {
    boolean text = arguments[arguments.length - 1].equals("text");
    Analyzer analyzer = text ? DefaultEnglishAnalyzer.newDefaultInstance() : new WhitespaceAnalyzer();
    Similarity similarity = text ? new BM25Similarity(0.9f, 0.4f) : new BM25Similarity(1.2f, 0.75f);
    IndexSearcher.setMaxClauseCount(1 << 20);
    if (arguments[0].equals("analyse")) {
      PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.println(String.join(" ", analyse(analyzer, line)));
      }
      out.flush();
    } else if (arguments[0].equals("build")) {
      build(Path.of(arguments[1]), Path.of(arguments[2]), analyzer, similarity);
    } else {
      search(Path.of(arguments[1]), text ? analyzer : null, similarity);
    }
  }

  private static void build(Path documents, Path index, Analyzer analyzer, Similarity similarity) throws Exception {
    FieldType type = new FieldType();
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    type.setTokenized(true);
    type.freeze();
    IndexWriterConfig config = new IndexWriterConfig(analyzer);
    config.setSimilarity(similarity);
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

  private static void search(Path index, Analyzer analyzer, Similarity similarity) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (DirectoryReader reader = DirectoryReader.open(MMapDirectory.open(index))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setSimilarity(similarity);
      searcher.setQueryCache(null);
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] parts = line.split("\t");
        int k = Integer.parseInt(parts[0]);
        String[] terms = parts.length > 1 && analyzer == null ? parts[1].split(" ") : new String[0];
        long start = System.nanoTime();
        if (analyzer != null) {
          terms = analyse(analyzer, parts.length > 1 ? parts[1] : "");
        }
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

  /** Terms of a text, each followed by its number of occurrences. */
  private static String[] analyse(Analyzer analyzer, String text) throws Exception {
    Map<String, Integer> counts = new LinkedHashMap<>();
    try (TokenStream stream = analyzer.tokenStream("body", text)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) {
        counts.merge(term.toString(), 1, Integer::sum);
      }
      stream.end();
    }
    return counts.entrySet().stream()
        .flatMap(entry -> Stream.of(entry.getKey(), entry.getValue().toString()))
        .toArray(String[]::new);
  }
}
