import { render } from 'preact'
import { App } from './app.tsx'
import { connect } from './state/connection.ts'
import { takeKey } from './state/key.ts'
import { listenToKeys } from './state/keyboard.ts'
import { followKinds } from './state/kinds.ts'

const root = document.getElementById('page')
if (root === null) throw new Error('invariant: index.html has the element of the page')
connect(takeKey())
followKinds()
listenToKeys()
render(<App />, root)
