package gate

import (
	"container/list"
	"strconv"
	"strings"
	"sync"

	"github.com/pggate/pggate/rewrite"
)

// A cache holds compiled statements, least recently used first to go. Catalogue
// functions are compiled to the session's own values, so everything of the
// session that can enter a statement is in the key.
type cache struct {
	mu    sync.Mutex
	limit int
	byKey map[string]*list.Element
	order *list.List
}

type entry struct {
	key  string
	stmt rewrite.Statement
}

func newCache(limit int) *cache {
	return &cache{limit: limit, byKey: map[string]*list.Element{}, order: list.New()}
}

// compile finds a statement or compiles it. Errors are not kept: they carry no
// cost worth saving, and a client that repeats them is rare.
func (c *cache) compile(env *rewrite.Env, sql string) (rewrite.Statement, error) {
	key := cacheKey(env, sql)
	c.mu.Lock()
	if e, ok := c.byKey[key]; ok {
		c.order.MoveToFront(e)
		stmt := e.Value.(*entry).stmt
		c.mu.Unlock()
		return stmt, nil
	}
	c.mu.Unlock()
	stmt, err := rewrite.Rewrite(env, sql)
	if err != nil {
		return nil, err
	}
	if s, ok := stmt.(*rewrite.Select); !ok || s.Volatile {
		return stmt, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[key]; !ok {
		c.byKey[key] = c.order.PushFront(&entry{key, stmt})
		if c.order.Len() > c.limit {
			last := c.order.Back()
			delete(c.byKey, last.Value.(*entry).key)
			c.order.Remove(last)
		}
	}
	return stmt, nil
}

// settingsInKey are the settings that change what a statement is compiled to.
var settingsInKey = [...]string{"pggate.aggregate_mismatch", "pggate.ungrouped_marker"}

func cacheKey(env *rewrite.Env, sql string) string {
	var b strings.Builder
	for _, part := range append([]string{env.World.Hash(), env.Database, env.User, env.TimeZone, strings.Join(env.SearchPath, "\x01")}, sql) {
		b.WriteString(part)
		b.WriteByte(0)
	}
	if env.Params == nil {
		b.WriteByte('s')
	}
	for _, p := range env.Params {
		b.WriteString(strconv.Itoa(int(p.OID)))
		b.WriteByte(',')
	}
	for _, name := range settingsInKey {
		v, _ := env.Setting(name)
		b.WriteString(v)
		b.WriteByte(0)
	}
	return b.String()
}
