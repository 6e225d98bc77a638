/** Invalid CSV; the message is Go's. */
export class CsvError extends Error {
  override readonly name = 'CsvError'
}

const BARE_QUOTE = 'bare " in non-quoted-field'
const QUOTE = 'extraneous or missing " in quoted-field'

/**
 * Reads records as Go's `encoding/csv` does: records of any length, empty lines skipped, spaces kept, quoted fields may contain line feeds.
 * @throws {CsvError}
 */
export function parseCsv(text: string): string[][] {
  const records: string[][] = []
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const endsLine = lines.at(-1) === ''
  // The text after the last line feed is empty.
  if (endsLine) lines.pop()
  for (let at = 0; at < lines.length; ) {
    if (lines[at] === '') {
      at++
      continue
    }
    const record = readRecord(lines, at, endsLine)
    records.push(record.fields)
    at = record.next
  }
  return records
}

function readRecord(lines: readonly string[], start: number, endsLine: boolean): { readonly fields: string[]; readonly next: number } {
  const fields: string[] = []
  let row = start
  let column = 0
  const failed = (why: string, at: number, more = 0) => {
    const place = `parse error on line ${row + 1}, column ${Buffer.byteLength((lines[row] ?? '').slice(0, at)) + 1 + more}: ${why}`
    return new CsvError(row === start ? place : `record on line ${start + 1}; ${place}`)
  }
  for (;;) {
    const line = lines[row] ?? ''
    if (line[column] !== '"') {
      const comma = line.indexOf(',', column)
      const field = comma < 0 ? line.slice(column) : line.slice(column, comma)
      const quote = field.indexOf('"')
      if (quote >= 0) throw failed(BARE_QUOTE, column + quote)
      fields.push(field)
      if (comma < 0) return { fields, next: row + 1 }
      column = comma + 1
      continue
    }
    let field = ''
    column++
    for (;;) {
      const current = lines[row] ?? ''
      const quote = current.indexOf('"', column)
      if (quote < 0) {
        // Go counts the line feed at the end of the text.
        if (row + 1 >= lines.length) throw failed(QUOTE, current.length, endsLine ? 1 : 0)
        field += `${current.slice(column)}\n`
        row++
        column = 0
        continue
      }
      field += current.slice(column, quote)
      const after = current[quote + 1]
      column = quote + 2
      if (after === '"') field += '"'
      else if (after === undefined) return { fields: [...fields, field], next: row + 1 }
      else if (after === ',') break
      else throw failed(QUOTE, quote)
    }
    fields.push(field)
  }
}
