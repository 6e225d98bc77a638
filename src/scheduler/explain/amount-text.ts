/** The scheduler's numbers (thousandths of a CPU, whole units of all else) as Kubernetes' quantities, exactly. */
export function showAmount(resource: string, amount: number): string {
  if (resource === 'cpu') return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`
  if (resource !== 'memory' && resource !== 'ephemeral-storage' && !resource.startsWith('hugepages-')) return String(amount)
  for (const [unit, bytes] of UNITS) if (amount >= bytes && amount % bytes === 0) return `${amount / bytes}${unit}`
  return String(amount)
}

const UNITS = [
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
  ['Ki', 2 ** 10],
] as const
