"""MDX: Markdown with components."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.markdown.jsx import without_javascript
from porism.corpus.opening import open_source

PAGE = r"""---
title: "Rings"
---
import Tabs from '@theme/Tabs';
export const meta = {
  title: 'Hidden'
}

{/* a comment $hidden$
over lines */}

Here $x_{n}^{k}$ is {year} and {props.page.title} `{code}`, with \{a\}.

<Tabs values={[{label: 'hidden', value: "a"}]}>
<TabItem value="a" label='A > B'>

An ideal $I \subset R$.

</TabItem>
</Tabs>

<Theorem title="Main">
Every $p$ is prime.
</Theorem>

<><Chart data={[{x: {y: 2}}]} /></>

```jsx
<Tabs>{kept}</Tabs>
```
"""


def test_what_is_javascript_goes(tmp_path: Path) -> None:
    (tmp_path / "a.mdx").write_text(PAGE, encoding="utf-8")
    documents = {document.id: document for document in open_source(tmp_path / "a.mdx")}
    body = documents["a.mdx"].fields["body"]
    assert body.to_latex() == (
        "Here $x_{n}^{k}$ is and {code}, with {a}.\n\nAn ideal $I \\subset R$.\n\n<Tabs>{kept}</Tabs>"
    )
    assert body.line_of(body.text.index("ideal")) == 16
    theorem = documents["a.mdx#theorem-1"]
    assert (theorem.title.text, theorem.metadata["line"]) == ("Main", "22")


@given(st.text(alphabet="<>{}/*$`\nAa ='\"import", max_size=150))
def test_lines_stay(text: str) -> None:
    assert without_javascript(text).count("\n") == text.count("\n")
