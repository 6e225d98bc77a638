/**
 * A reporter of `node --test` for people: a dot for each test, a failure with its error as soon as it happens, and a summary. The end of a
 * run that is interrupted has a summary too.
 */
import { relative } from 'node:path'

const WIDTH = 80

export default async function* dotsAndFailures(events) {
  const began = performance.now()
  const failures = []
  let passed = 0
  let column = 0
  try {
    for await (const { type, data } of events) {
      if (data.details?.type === 'suite') continue
      if (type === 'test:pass') {
        if (data.skip === undefined && data.todo === undefined) passed++
        yield column++ % WIDTH === WIDTH - 1 ? '.\n' : '.'
      } else if (type === 'test:fail' && data.details.error.failureType !== 'subtestsFailed') {
        failures.push(titleOf(data))
        yield `${column > 0 ? '\n' : ''}✖ ${titleOf(data)}\n${errorText(data.details.error)}\n`
        column = 0
      }
    }
  } finally {
    const seconds = Math.round((performance.now() - began) / 1000)
    yield `\n${passed} passed, ${failures.length} failed in ${seconds} s\n${failures.map((title) => `✖ ${title}\n`).join('')}`
  }
}

const titleOf = ({ name, file, line }) => (file === undefined ? name : `${name} (${relative(process.cwd(), file)}:${line})`)

/** The error of the test itself; the runner wraps it. */
function errorText(error) {
  const cause = error.cause ?? error
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  return text.replace(/^/gm, '    ')
}
