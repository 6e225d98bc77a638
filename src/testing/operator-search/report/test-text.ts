import type { ReplayedFinding } from '../search-operator.ts'

/** Languages in which a test can be written, by the end of its file's name. */
export const TEST_LANGUAGES = ['go', 'ts', 'py'] as const
export type TestLanguage = (typeof TEST_LANGUAGES)[number]

/** What a test runs. */
export interface TestedFindings {
  readonly findings: readonly ReplayedFinding[]
  /** The words of `bowsprit` before and after `--replay FILE`. */
  readonly words: readonly string[]
  readonly command: readonly string[]
}

/** A test that replays findings with `npx bowsprit`, and passes when they do not occur any more. */
export const testText = (language: TestLanguage, tested: TestedFindings): string => WRITERS[language](tested)

const WRITERS: Readonly<Record<TestLanguage, (tested: TestedFindings) => string>> = { go: goTest, ts: typeScriptTest, py: pythonTest }

/** The findings as a replay needs them; steps without one (a field that changes nothing) cannot be replayed. */
const replayOf = ({ findings }: TestedFindings) =>
  JSON.stringify({ findings: findings.filter((f) => f.steps.length > 0).map(({ steps, fault }) => ({ steps, fault })) })

const quoted = (words: readonly string[]) => words.map((word) => JSON.stringify(word)).join(', ')

function goTest(tested: TestedFindings): string {
  return `package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What bowsprit test-operator found does not happen any more.
func TestOperatorFaults(t *testing.T) {
	replay := filepath.Join(t.TempDir(), "replay.json")
	if err := os.WriteFile(replay, []byte(${JSON.stringify(replayOf(tested))}), 0o600); err != nil {
		t.Fatal(err)
	}
	words := []string{"bowsprit", ${quoted(tested.words)}, "--replay", replay${tested.command.length > 0 ? `, ${quoted(tested.command)}` : ''}}
	if out, err := exec.Command("npx", words...).CombinedOutput(); err != nil {
		t.Fatalf("%v\\n%s", err, out)
	}
}
`
}

function typeScriptTest(tested: TestedFindings): string {
  return `import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'

test('what bowsprit test-operator found does not happen any more', (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'operator-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const replay = path.join(folder, 'replay.json')
  writeFileSync(replay, ${JSON.stringify(replayOf(tested))})
  const words = ['bowsprit', ${quoted(tested.words)}, '--replay', replay${tested.command.length > 0 ? `, ${quoted(tested.command)}` : ''}]
  const { status, stdout, stderr } = spawnSync('npx', words, { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
})
`
}

function pythonTest(tested: TestedFindings): string {
  return `import subprocess


def test_operator_faults(tmp_path):
    """What bowsprit test-operator found does not happen any more."""
    replay = tmp_path / "replay.json"
    replay.write_text(${JSON.stringify(replayOf(tested))})
    words = ["npx", "bowsprit", ${quoted(tested.words)}, "--replay", str(replay)${tested.command.length > 0 ? `, ${quoted(tested.command)}` : ''}]
    run = subprocess.run(words, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
`
}
