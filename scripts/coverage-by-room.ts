/** Branches of one room: how many there are, and how many a test took. */
export interface RoomCoverage {
  readonly room: string
  readonly files: number
  readonly branches: number
  readonly taken: number
}

/**
 * Sums up a report in LCOV's format (https://ltp.sourceforge.net/coverage/lcov/geninfo.1.php) by the folders below `src/`; tests do not
 * count.
 */
export function coverageByRoom(lcov: string): RoomCoverage[] {
  const rooms = new Map<string, { files: number; branches: number; taken: number }>()
  for (const record of lcov.split('end_of_record')) {
    const room = /^SF:(?:.*\/)?src\/([\w-]+)\//m.exec(record)?.[1]
    if (room === undefined || /^SF:.*\.(test|contract)\.ts$/m.test(record)) continue
    const sum = rooms.get(room) ?? { files: 0, branches: 0, taken: 0 }
    sum.files++
    sum.branches += countOf(record, 'BRF')
    sum.taken += countOf(record, 'BRH')
    rooms.set(room, sum)
  }
  return [...rooms].map(([room, sum]) => ({ room, ...sum })).sort((a, b) => (a.room < b.room ? -1 : 1))
}

const countOf = (record: string, field: string) => Number(new RegExp(`^${field}:(\\d+)$`, 'm').exec(record)?.[1] ?? 0)

/** The rows as a table of Markdown, with the sum at the end. */
export function coverageTable(rooms: readonly RoomCoverage[]): string {
  const sum = (of: (room: RoomCoverage) => number) => rooms.reduce((total, room) => total + of(room), 0)
  const all = { room: 'all', files: sum((r) => r.files), branches: sum((r) => r.branches), taken: sum((r) => r.taken) }
  const row = ({ room, files, branches, taken }: RoomCoverage) =>
    `| ${room} | ${files} | ${branches} | ${branches === 0 ? '–' : `${((100 * taken) / branches).toFixed(1)} %`} |`
  return ['| room | files | branches | taken |', '|---|---|---|---|', ...rooms.map(row), row(all)].join('\n')
}
