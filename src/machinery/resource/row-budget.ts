import { Visits } from '../json/jsonpath.ts'

/** Most characters of texts in one row; the text that exceeds them is still shown. */
const MOST_TEXT = 256 * 1024

/**
 * What the cells of one row of a table may cost together: a definition may have thousands of columns, each of which shows the whole object.
 */
export class RowBudget {
  /** Of the paths of all columns. */
  readonly visits = new Visits()
  #text = MOST_TEXT

  /** The text of a cell; undefined if the row has no room for more. */
  text(write: () => string): string | undefined {
    if (this.#text < 0) return undefined
    const text = write()
    this.#text -= text.length
    return text
  }
}
