/** CPU numbers in ascending order. */
export type CpuSet = ReadonlySet<number>

export const NO_CPUS: CpuSet = new Set()

export const inOrder = (cpus: Iterable<number>): number[] => [...cpus].sort((a, b) => a - b)

/** Formats as the kernel and the kubelet do: `0,4-8`. */
export function formatCpuSet(cpus: Iterable<number>): string {
  const parts: string[] = []
  let from: number | undefined
  let to = 0
  const close = () => {
    if (from !== undefined) parts.push(from === to ? String(from) : `${from}-${to}`)
  }
  for (const cpu of inOrder(cpus)) {
    if (from !== undefined && cpu === to + 1) to = cpu
    else {
      close()
      from = to = cpu
    }
  }
  close()
  return parts.join(',')
}

/** Parses `0,4-8`. Undefined if it is invalid or has more than `MOST_CPUS`. */
export function parseCpuSet(text: string): CpuSet | undefined {
  const cpus = new Set<number>()
  if (text === '') return cpus
  for (const part of text.split(',')) {
    const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? []
    const [from, to] = [Number(first), Number(last)]
    if (first === '' || from > to || to >= MOST_CPUS) return undefined
    for (let cpu = from; cpu <= to; cpu++) cpus.add(cpu)
  }
  return cpus
}

/** An upper bound for real machines. */
export const MOST_CPUS = 65_536
