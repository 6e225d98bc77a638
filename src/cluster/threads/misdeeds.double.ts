/** What a thread may do that ends it. */
export const MISDEEDS: Readonly<Record<string, () => void>> = {
  throw() {
    throw new Error('this is no reason')
  },
  exit: () => process.exit(7),
  hang() {
    for (;;);
  },
  fill() {
    let all: object = {}
    for (let i = 0; ; i++) all = { all, text: `${i}`.repeat(100) }
  },
}
