import assert from 'node:assert/strict'
import { test } from 'node:test'
import { terminalSvg } from '../../scripts/terminal-picture/terminal-svg.ts'

test('the picture of a terminal shows each command with its output, and nothing of it is markup', () => {
  const svg = terminalSvg([
    { command: 'echo <a> & b', output: ['<script>alert(1)</script>'] },
    { command: 'long', output: ['x'.repeat(500)] },
  ])
  const texts = [...svg.matchAll(/<text class="(s\d) (\w+)"[^>]*>(.*)<\/text>/g)].map(([, step, kind, text]) => [step, kind, text])
  assert.deepEqual(texts, [
    ['s0', 'command', '$ echo &lt;a&gt; &amp; b'],
    ['s0', 'output', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['s1', 'command', '$ long'],
    ['s1', 'output', `${'x'.repeat(91)}…`],
  ])
  assert.match(svg, /@keyframes s1 .*prefers-reduced-motion|prefers-reduced-motion[\s\S]*@keyframes s1/)
})
