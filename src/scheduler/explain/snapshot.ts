import { giveTurn } from '../../base/turns.ts'
import { NodeTable } from '../cache/node-table.ts'

/** Pods counted before others get a turn of the event loop. */
const PODS_PER_TURN = 4096

/** A copy of the table as it is now, without one pod, to try changes on. It reads the table at once, and counts pods in slices. */
export async function snapshotOf(table: NodeTable, without: string): Promise<NodeTable> {
  const rows = table.names.flatMap((name, row) =>
    name === undefined ? [] : [{ name, node: table.nodes[row], pods: [...(table.pods[row] ?? [])] }],
  )
  const copy = new NodeTable()
  let counted = 0
  for (const { name, node, pods } of rows) {
    if (node !== undefined) copy.setNode(node)
    for (const pod of pods) if (pod.uid !== without) copy.addPod(pod, name)
    counted += pods.length + 1
    if (counted < PODS_PER_TURN) continue
    counted = 0
    await giveTurn()
  }
  return copy
}
