import type { LabelSet } from '../../machinery/selectors/label-matcher.ts'

/** A column of a label's values as small numbers; −1 where a node lacks the label. */
export interface TopologyColumn {
  ids: Int32Array
  /** Number of distinct values ever seen: ids are below it. */
  values: number
}

/** The values of topology keys, one column for each key in use. */
export class Topology {
  readonly #columns = new Map<string, TopologyColumn & { byValue: Map<string, number> }>()
  #rows: number

  constructor(rows: number) {
    this.#rows = rows
  }

  grow(rows: number): void {
    this.#rows = rows
    for (const column of this.#columns.values()) {
      const larger = new Int32Array(rows).fill(-1)
      larger.set(column.ids)
      column.ids = larger
    }
  }

  column(key: string, labels: readonly (LabelSet | undefined)[]): TopologyColumn {
    const known = this.#columns.get(key)
    if (known !== undefined) return known
    const column = { ids: new Int32Array(this.#rows).fill(-1), values: 0, byValue: new Map<string, number>() }
    this.#columns.set(key, column)
    for (let row = 0; row < labels.length; row++) this.#set(key, row, labels[row])
    return column
  }

  /** A node's labels changed; undefined when it has gone. */
  update(row: number, labels: LabelSet | undefined): void {
    for (const key of this.#columns.keys()) this.#set(key, row, labels)
  }

  #set(key: string, row: number, labels: LabelSet | undefined): void {
    const column = this.#columns.get(key)
    if (column === undefined) return
    const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
    if (value === undefined) {
      column.ids[row] = -1
      return
    }
    let id = column.byValue.get(value)
    if (id === undefined) {
      id = column.values++
      column.byValue.set(value, id)
    }
    column.ids[row] = id
  }
}
