/** The fixture for pytest, installed as users do; the example is that of docs/starters.md. */
import assert from 'node:assert/strict'
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { kept, lacks, root, starter } from './starter.ts'

const venv = path.join(kept, 'python')
const python = path.join(venv, 'bin', 'python')

const REFUSED = `
import pytest, bowsprit_pytest

@pytest.mark.bowsprit(parts="server")
def test_marker(bowsprit, bowsprit_session):
    assert bowsprit.kubeconfig != bowsprit_session.kubeconfig

def test_wrong_flag():
    with pytest.raises(bowsprit_pytest.BowspritError, match="ended with 2 before it was ready: .*--no-such-flag"):
        bowsprit_pytest.start(flags=["--no-such-flag"])

def test_not_there(monkeypatch):
    monkeypatch.setenv("BOWSPRIT", "/nowhere/bowsprit")
    with pytest.raises(bowsprit_pytest.BowspritError, match="/nowhere/bowsprit cannot be started"):
        bowsprit_pytest.start()
    monkeypatch.delenv("BOWSPRIT")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(bowsprit_pytest.BowspritError, match="npm install --save-dev bowsprit"):
        bowsprit_pytest.start()
`

test('a test of pytest gets its cluster, and nothing of it is left', async (t) => {
  const why = existsSync(python) ? undefined : await lacks('python3', '-m', 'venv', venv)
  if (why !== undefined) return t.skip(why)
  const missing = await lacks(python, '-c', 'import kopf, kubernetes, pytest, setuptools, wheel')
  const modules =
    missing && (await lacks(python, '-m', 'pip', 'install', '-q', 'kubernetes==36.0.1', 'kopf==1.45.2', 'pytest', 'setuptools', 'wheel'))
  if (modules !== undefined) return t.skip(modules)
  const { folder, run, left } = starter(t, 'test_colors.py', 'test_greetings.py')
  cpSync(path.join(root, 'packages', 'pytest'), path.join(folder, 'package'), { recursive: true })
  const words = ['-m', 'pip', 'install', '-q', '--no-deps', '--no-build-isolation', '--no-index', '--target', 'installed', './package']
  const installed = await run(python, words)
  assert.equal(installed.code, 0, installed.err)
  writeFileSync(path.join(folder, 'test_refused.py'), REFUSED)
  const tested = await run(
    python,
    ['-m', 'pytest', '-q', '--strict-markers', '-p', 'no:cacheprovider', 'test_colors.py', 'test_greetings.py', 'test_refused.py'],
    {
      PYTHONPATH: path.join(folder, 'installed'),
    },
  )
  assert.deepEqual([tested.code, left()], [0, []], `${tested.out}${tested.err}`)
  assert.match(tested.out, /5 passed/)
})
