import type { ChangeKind, ChangeWrite } from '../../resources/bowsprit/scheduling-report.ts'
import type { Node } from '../../resources/types/core.ts'
import type { Scratch } from './scratch.ts'

/** A single change of the cluster that may let the pod in. */
export interface Change {
  readonly kind: ChangeKind
  /** The node of the row that it is about. */
  readonly node: string
  /** The smaller of two changes of one kind costs less. */
  readonly cost: number
  readonly message: string
  readonly command?: string
  /** The same as a request. */
  readonly write?: ChangeWrite
  /** Makes the change in a copy of the cluster; the returned function takes it back. */
  readonly make: (scratch: Scratch) => () => void
  /** The node on which the pod is to fit afterwards, when that is another. */
  readonly fitsOn?: string
}

/** A merge patch of a node. */
export const patchNode = (name: string, patch: object): ChangeWrite => ({ resource: 'nodes', name, patch: JSON.stringify(patch) })

/** The change of a node's object. */
export function nodeChange(row: number, after: (node: Readonly<Node>) => Node): Change['make'] {
  return (scratch) => {
    const before = scratch.table.nodes[row]
    if (before === undefined) return () => {}
    scratch.table.setNode(after(before))
    scratch.changed()
    return () => {
      scratch.table.setNode(before)
      scratch.changed()
    }
  }
}
