package rewrite

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/wire/sqlstate"
)

// command reads the statements that the gateway answers without the engine.
func command(n *pgtree.Node) (Statement, error) {
	switch x := n.GetNode().(type) {
	case *pg.Node_VariableSetStmt:
		return set(x.VariableSetStmt, n)
	case *pg.Node_VariableShowStmt:
		return &Show{Name: settingName(x.VariableShowStmt.GetName())}, nil
	case *pg.Node_TransactionStmt:
		return transaction(x.TransactionStmt, n)
	case *pg.Node_DiscardStmt:
		what := map[pg.DiscardMode]string{pg.DiscardMode_DISCARD_ALL: "ALL", pg.DiscardMode_DISCARD_PLANS: "PLANS", pg.DiscardMode_DISCARD_SEQUENCES: "SEQUENCES", pg.DiscardMode_DISCARD_TEMP: "TEMP"}
		return &Discard{What: what[x.DiscardStmt.GetTarget()]}, nil
	case *pg.Node_DeallocateStmt:
		return &Deallocate{Name: x.DeallocateStmt.GetName()}, nil
	case *pg.Node_ListenStmt:
		return &Listen{Tag: "LISTEN"}, nil
	case *pg.Node_UnlistenStmt:
		return &Listen{Tag: "UNLISTEN"}, nil
	case *pg.Node_InsertStmt, *pg.Node_UpdateStmt, *pg.Node_DeleteStmt, *pg.Node_MergeStmt, *pg.Node_TruncateStmt,
		*pg.Node_CreateStmt, *pg.Node_CreateTableAsStmt, *pg.Node_ViewStmt, *pg.Node_DropStmt, *pg.Node_IndexStmt,
		*pg.Node_AlterTableStmt, *pg.Node_CreateSchemaStmt, *pg.Node_CreateFunctionStmt, *pg.Node_CommentStmt,
		*pg.Node_RenameStmt, *pg.Node_GrantStmt, *pg.Node_CreateSeqStmt, *pg.Node_RefreshMatViewStmt:
		return nil, sqlstate.New(sqlstate.ReadOnlyTransaction, "cannot execute %s in a read-only transaction", tagOf(n)).
			WithHint("The gateway answers queries; data and definitions change where they are made.")
	}
	return nil, sqlstate.New(sqlstate.FeatureNotSupported, "%s is not supported", tagOf(n)).
		WithHint("Queries, EXPLAIN, SET, SHOW, RESET, transaction statements, DISCARD and DEALLOCATE are.")
}

// tagOf names a statement in words.
func tagOf(n *pgtree.Node) string {
	switch x := n.GetNode().(type) {
	case *pg.Node_InsertStmt:
		return "INSERT"
	case *pg.Node_UpdateStmt:
		return "UPDATE"
	case *pg.Node_DeleteStmt:
		return "DELETE"
	case *pg.Node_MergeStmt:
		return "MERGE"
	case *pg.Node_TruncateStmt:
		return "TRUNCATE TABLE"
	case *pg.Node_CreateStmt:
		return "CREATE TABLE"
	case *pg.Node_CreateTableAsStmt:
		return "CREATE TABLE AS"
	case *pg.Node_ViewStmt:
		return "CREATE VIEW"
	case *pg.Node_CopyStmt:
		return "COPY"
	case *pg.Node_CallStmt:
		return "CALL"
	case *pg.Node_DoStmt:
		return "DO"
	case *pg.Node_PrepareStmt:
		return "PREPARE"
	case *pg.Node_ExecuteStmt:
		return "EXECUTE"
	case *pg.Node_DeclareCursorStmt:
		return "DECLARE CURSOR"
	case *pg.Node_FetchStmt:
		return "FETCH"
	case *pg.Node_ClosePortalStmt:
		return "CLOSE CURSOR"
	case *pg.Node_LockStmt:
		return "LOCK TABLE"
	case *pg.Node_NotifyStmt:
		return "NOTIFY"
	case *pg.Node_DropStmt:
		_ = x
		return "DROP"
	}
	return "this statement"
}

func set(x *pg.VariableSetStmt, n *pgtree.Node) (Statement, error) {
	name := settingName(x.GetName())
	switch x.GetKind() {
	case pg.VariableSetKind_VAR_SET_VALUE:
		value, err := settingValue(name, x.GetArgs())
		if err != nil {
			return nil, at(err, n)
		}
		return &Set{Name: name, Value: value, Local: x.GetIsLocal()}, nil
	case pg.VariableSetKind_VAR_SET_DEFAULT:
		return &Set{Name: name, Default: true, Local: x.GetIsLocal()}, nil
	case pg.VariableSetKind_VAR_RESET:
		return &Reset{Name: name}, nil
	case pg.VariableSetKind_VAR_RESET_ALL:
		return &Reset{Name: "all"}, nil
	case pg.VariableSetKind_VAR_SET_MULTI:
		t := &Transaction{Kind: SetCharacteristics, Session: strings.EqualFold(x.GetName(), "SESSION CHARACTERISTICS")}
		if strings.EqualFold(x.GetName(), "TRANSACTION SNAPSHOT") {
			return nil, unsupported(n, "", "SET TRANSACTION SNAPSHOT is not supported")
		}
		t.Settings = modes(x.GetArgs(), t.Session)
		return t, nil
	}
	return nil, unsupported(n, "", "SET of this kind is not supported")
}

// settingName gives the setting behind the words of SET and SHOW.
func settingName(name string) string {
	switch strings.ToLower(name) {
	case "timezone", "time zone":
		return "TimeZone"
	case "transaction isolation level":
		return "transaction_isolation"
	case "session authorization":
		return "session_authorization"
	case "datestyle":
		return "DateStyle"
	case "intervalstyle":
		return "IntervalStyle"
	}
	return strings.ToLower(name)
}

// listSettings take several values, each of which is a name: a name that needs
// quotes is quoted in the joined value (guc.c, GUC_LIST_QUOTE).
func listSetting(name string) bool {
	return name == "search_path" || name == "temp_tablespaces" || name == "session_preload_libraries"
}

func settingValue(name string, args []*pgtree.Node) (string, *sqlstate.Error) {
	var parts []string
	for _, a := range args {
		var part string
		switch {
		case a.GetAConst() != nil:
			part = constText(a.GetAConst())
		case a.GetTypeCast() != nil: // SET TIME ZONE INTERVAL '-08:00'
			part = constText(a.GetTypeCast().GetArg().GetAConst())
		default:
			return "", sqlstate.New(sqlstate.InvalidParameterValue, "invalid value for parameter %q", name)
		}
		if listSetting(name) {
			part = quoteIdent(part)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", "), nil
}

func constText(c *pg.A_Const) string {
	switch v := c.GetVal().(type) {
	case *pg.A_Const_Sval:
		return v.Sval.GetSval()
	case *pg.A_Const_Ival:
		return strconv.Itoa(int(v.Ival.GetIval()))
	case *pg.A_Const_Fval:
		return v.Fval.GetFval()
	case *pg.A_Const_Boolval:
		return strconv.FormatBool(v.Boolval.GetBoolval())
	}
	return ""
}

// quoteIdent quotes a name that would not stand bare (ruleutils.c,
// quote_identifier, without its list of key words).
func quoteIdent(s string) string {
	plain := s != ""
	for i, c := range s {
		if !(c >= 'a' && c <= 'z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			plain = false
		}
	}
	if plain {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

func transaction(x *pg.TransactionStmt, n *pgtree.Node) (Statement, error) {
	t := &Transaction{Name: x.GetSavepointName(), Chain: x.GetChain(), Settings: modes(x.GetOptions(), false)}
	switch x.GetKind() {
	case pg.TransactionStmtKind_TRANS_STMT_BEGIN:
		t.Kind = Begin
	case pg.TransactionStmtKind_TRANS_STMT_START:
		t.Kind, t.Start = Begin, true
	case pg.TransactionStmtKind_TRANS_STMT_COMMIT:
		t.Kind = Commit
	case pg.TransactionStmtKind_TRANS_STMT_ROLLBACK:
		t.Kind = Rollback
	case pg.TransactionStmtKind_TRANS_STMT_SAVEPOINT:
		t.Kind = Savepoint
	case pg.TransactionStmtKind_TRANS_STMT_RELEASE:
		t.Kind = Release
	case pg.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		t.Kind = RollbackTo
	default:
		return nil, unsupported(n, "", "two-phase commit is not supported")
	}
	return t, nil
}

// modes reads transaction modes as the settings that hold them.
func modes(opts []*pgtree.Node, session bool) []Set {
	prefix := "transaction_"
	if session {
		prefix = "default_transaction_"
	}
	var out []Set
	for _, o := range opts {
		d := o.GetDefElem()
		name, ok := strings.CutPrefix(d.GetDefname(), "transaction_")
		if !ok {
			continue
		}
		value := constText(d.GetArg().GetAConst())
		if name == "read_only" || name == "deferrable" {
			if value == "0" || value == "false" {
				value = "off"
			} else {
				value = "on"
			}
		}
		out = append(out, Set{Name: prefix + name, Value: value, Local: !session})
	}
	return out
}
