/** The rows that fit. */
export function feasibleRows(verdicts: Int32Array, rows: number): Int32Array {
  const found = new Int32Array(rows)
  let n = 0
  for (let row = 0; row < rows; row++) if (verdicts[row] === 0) found[n++] = row
  return found.subarray(0, n)
}
