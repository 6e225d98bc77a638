/** A reporter of node:test that writes one line for each test that was skipped: `file: name (why)`. */
import path from 'node:path'

export default async function* skippedTests(source) {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' || data.skip === undefined) continue
    yield `${path.relative(process.cwd(), data.file ?? '')}: ${data.name} (${data.skip === true ? 'no reason' : data.skip})\n`
  }
}
