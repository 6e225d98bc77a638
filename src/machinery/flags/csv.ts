/** One CSV record: fields between commas; in quotes, commas are literal and a doubled quote is one quote. */
export function csvFields(line: string): string[] {
  const fields: string[] = []
  let at = 0
  while (at <= line.length) {
    if (line[at] !== '"') {
      const end = endOf(line, at)
      fields.push(line.slice(at, end))
      at = end + 1
      continue
    }
    let field = ''
    for (at++; at < line.length; at++) {
      if (line[at] !== '"') field += line[at]
      else if (line[at + 1] === '"') field += line[at++]
      else break
    }
    fields.push(field)
    at = endOf(line, at) + 1
  }
  return fields
}

const endOf = (line: string, from: number) => {
  const end = line.indexOf(',', from)
  return end < 0 ? line.length : end
}
