/** `searchOperator`: each published bug is found in a stand-in that has it, with no word about where; the mended one has no fault. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcessHost } from '../../src/testing/operator-search/run/in-process-host.ts'
import { type SearchReport, searchOperator } from '../../src/testing/operator-search/search-operator.ts'
import { PUBLISHED_BUGS, type PublishedBug } from './operator-search/published-bugs.ts'

const search = ({ operator, install, sample, steps }: PublishedBug, mended: boolean): Promise<SearchReport> =>
  searchOperator({ host: inProcessHost(operator(mended)), install, samples: [sample], ...(steps && { steps }) })

/** `HARM, FAULT: SYMPTOM` */
const told = ({ findings }: SearchReport) =>
  findings.flatMap(({ harm, fault, symptoms }) => symptoms.map(({ text }) => `${harm}, ${fault?.kind ?? 'no fault'}: ${text}`))

for (const bug of PUBLISHED_BUGS) {
  test(`${bug.id} is found`, async () => {
    const found = told(await search(bug, false))
    assert.ok(
      found.some((text) => bug.found.test(text)),
      `found: ${found.join('\n')}`,
    )
  })

  test(`${bug.id}, mended: no fault is found`, async () => assert.deepEqual(told(await search(bug, true)), []))
}
