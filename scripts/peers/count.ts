/** What a program of tests said of itself. */
export interface Counted {
  readonly passed: number
  readonly total: number
  readonly failed: readonly string[]
}

/** The counts of several programs in one; each failure begins with its program's name. */
export function sumOf(parts: readonly { readonly name: string; readonly counted: Counted }[]): Counted {
  return {
    passed: parts.reduce((sum, { counted }) => sum + counted.passed, 0),
    total: parts.reduce((sum, { counted }) => sum + counted.total, 0),
    failed: parts.flatMap(({ name, counted }) => counted.failed.map((title) => `${name}: ${title}`)),
  }
}

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

/** What ginkgo or `go test -v` says of itself at the end; ginkgo's count goes before that of the one Go test that holds it. */
export function countGo(said: string): Counted {
  const text = said.replace(ESCAPES, '')
  const ginkgo = [...text.matchAll(/(\d+) Passed \| (\d+) Failed \|/g)]
  if (ginkgo.length > 0) {
    const passed = ginkgo.reduce((sum, m) => sum + Number(m[1]), 0)
    const total = passed + ginkgo.reduce((sum, m) => sum + Number(m[2]), 0)
    const failed = [...text.matchAll(/^ {2}\[(?:FAIL|PANICKED!|TIMEDOUT)\] (.*)$/gm)].map((m) => m[1] ?? '')
    return { passed, total, failed: [...new Set(failed)] }
  }
  const of = (verdict: string) => [...text.matchAll(new RegExp(`^ *--- ${verdict}: (\\S+)`, 'gm'))].map((m) => m[1] ?? '')
  const [passed, failed] = [of('PASS'), of('FAIL')]
  return { passed: passed.length, total: passed.length + failed.length, failed }
}

/** What `cargo test` says of each test. */
export function countCargo(said: string): Counted {
  const lines = [...said.matchAll(/^test (.+?) \.\.\. (ok|FAILED)$/gm)]
  const failed = lines.filter((m) => m[2] === 'FAILED').map((m) => m[1] ?? '')
  return { passed: lines.length - failed.length, total: lines.length, failed }
}

/** What `pytest -q -rA` says in its summary; a test that failed and whose clearing up did too is one. */
export function countPytest(said: string): Counted {
  const of = (verdict: string) => [...said.matchAll(new RegExp(`^${verdict} (\\S+)`, 'gm'))].map((m) => m[1] ?? '')
  const failed = [...new Set([...of('FAILED'), ...of('ERROR')])]
  const passed = of('PASSED').filter((name) => !failed.includes(name))
  return { passed: passed.length, total: passed.length + failed.length, failed }
}

/** What Maven's Surefire writes of each class of tests; those that skip themselves are left out. */
export function countSurefire(reports: readonly string[]): Counted {
  const cases = reports.flatMap((report) =>
    report
      .split('<testcase ')
      .slice(1)
      .map((text) => {
        const title = `${/classname="([^"]*)"/.exec(text)?.[1] ?? ''}.${/(?:^| )name="([^"]*)"/.exec(text)?.[1] ?? ''}`
        const verdict = /<(failure|error|skipped)[ />]/.exec(text.split('</testcase>')[0] ?? '')?.[1]
        return { title, verdict }
      }),
  )
  const ran = cases.filter(({ verdict }) => verdict !== 'skipped')
  const failed = ran.filter(({ verdict }) => verdict !== undefined).map(({ title }) => title)
  return { passed: ran.length - failed.length, total: ran.length, failed }
}
