package catalog

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
)

// empty are the relations that have no rows here, whatever is asked: what they
// describe does not exist in the gateway.
var empty = words(`pg_policy pg_policies pg_statistic_ext pg_statistic_ext_data pg_publication pg_publication_rel pg_publication_namespace pg_publication_tables pg_subscription pg_subscription_rel
	pg_trigger pg_inherits pg_rewrite pg_rules pg_auth_members pg_event_trigger pg_foreign_data_wrapper pg_foreign_server pg_foreign_table pg_user_mapping pg_user_mappings pg_partitioned_table
	pg_sequence pg_sequences pg_largeobject pg_largeobject_metadata pg_default_acl pg_init_privs pg_seclabel pg_seclabels pg_shseclabel pg_transform pg_db_role_setting pg_parameter_acl
	pg_matviews pg_shdescription pg_prepared_xacts pg_replication_slots pg_stat_replication pg_stat_subscription pg_proc pg_aggregate pg_depend pg_shdepend`)

// prune empties a SELECT that joins a relation without rows: it has none
// itself, and the engine need not be able to plan the rest. Outer joins that
// can keep rows are left alone.
func prune(root *pgtree.Node) {
	pgtree.Walk(root, func(n *pgtree.Node) bool {
		s := n.GetSelectStmt()
		if s == nil || len(s.GetFromClause()) == 0 || s.GetWithClause() != nil || aggregates(s) {
			return true
		}
		for _, f := range s.GetFromClause() {
			if !alwaysEmpty(f) {
				continue
			}
			for _, t := range s.GetTargetList() {
				rt := t.GetResTarget()
				if _, star := pgtree.ColumnParts(rt.GetVal()); star {
					return true
				}
				if rt.GetVal().GetAConst() == nil {
					rt.Val = pgtree.Cast(pgtree.Null(), []string{"text"})
				}
			}
			s.FromClause, s.GroupClause, s.HavingClause, s.SortClause, s.DistinctClause = nil, nil, nil, nil, nil
			s.WhereClause = pgtree.Bool(false)
			return false
		}
		return true
	})
}

// aggregates tells a SELECT that has a row even over nothing.
func aggregates(s *pg.SelectStmt) bool {
	if len(s.GetGroupClause()) > 0 {
		return false
	}
	found := false
	for _, t := range s.GetTargetList() {
		pgtree.Walk(t, func(n *pgtree.Node) bool {
			if c := n.GetFuncCall(); c != nil {
				parts := pgtree.NameParts(c.GetFuncname())
				switch parts[len(parts)-1] {
				case "count", "sum", "min", "max", "avg", "array_agg", "string_agg", "bool_or", "bool_and", "json_agg", "jsonb_agg":
					found = true
				}
			}
			return !found && n.GetSubLink() == nil
		})
	}
	return found
}

func alwaysEmpty(n *pgtree.Node) bool {
	if rv := n.GetRangeVar(); rv != nil {
		return rv.GetCatalogname() == engineDatabase && rv.GetSchemaname() == pgSchema && empty[rv.GetRelname()]
	}
	if j := n.GetJoinExpr(); j != nil {
		switch j.GetJointype() {
		case pg.JoinType_JOIN_INNER:
			return alwaysEmpty(j.GetLarg()) || alwaysEmpty(j.GetRarg())
		case pg.JoinType_JOIN_LEFT:
			return alwaysEmpty(j.GetLarg())
		case pg.JoinType_JOIN_RIGHT:
			return alwaysEmpty(j.GetRarg())
		}
	}
	return false
}
