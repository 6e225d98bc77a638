import { render } from 'preact'
import { App } from './app.tsx'
import { connect } from './state/connection.ts'
import { keepDrafts } from './state/drafts.ts'
import { takeKey } from './state/key.ts'
import { listenToKeys } from './state/keyboard.ts'
import { followKinds } from './state/kinds.ts'

const root = document.getElementById('page')
if (root === null) throw new Error('invariant: index.html has the element of the page')
connect(takeKey())
followKinds()
keepDrafts()
listenToKeys()
render(<App />, root)
